import type { Rule } from './rule-names.ts';

/** One step, in one line. */
export interface Explanation {
  /** What happened, in a word or two. */
  readonly title: string;
  readonly text: string;
  /** The rule that applied; absent where none did, which is the point then. */
  readonly rule?: Rule;
  readonly tone: 'good' | 'bad' | 'wait' | 'plain';
}
