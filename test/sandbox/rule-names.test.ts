import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULE_NAMES } from '../../lib/sandbox/rule-names.ts';

describe('the names of the rules', () => {
  it.each(Object.entries(RULE_NAMES))('%s is called %s in the table of rules, too', (rule, name) => {
    expect(readFileSync('README.md', 'utf8')).toContain(`| ${rule} | ${name} |`);
  });
});
