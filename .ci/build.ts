// Builds the package into dist/: JavaScript and types of what package.json exports, and of what that needs.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// The compiler renames modules in imports only: not where a URL names one, nor in declarations.
for (const file of globSync('dist/**/*.js')) rewrite(file, /(new URL\('\.{1,2}\/[^']+)\.ts'/g, "$1.js'");
for (const file of globSync('dist/**/*.d.ts'))
  rewrite(file, /((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2');

function rewrite(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replace(pattern, replacement);
  if (renamed !== text) writeFileSync(file, renamed);
}
