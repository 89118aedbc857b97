// Brings the README's table of rules up to date with the @rule tags.
import { readFileSync, writeFileSync } from 'node:fs';
import { withCurrentRules } from '../test/architecture/rules-table.ts';

writeFileSync('README.md', withCurrentRules(readFileSync('README.md', 'utf8')));
