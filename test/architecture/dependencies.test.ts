import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const pinned: Record<string, string> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
};

describe('dependencies', () => {
  it('are pinned to one version each', () => {
    expect(Object.entries(pinned).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('are explained in docs/dependencies.md', () => {
    const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| `(.+?)` \| (.+?) \| .{8,} \|$/gm);
    expect(Object.fromEntries(Array.from(rows, ([, name, version]) => [name, version]))).toEqual(pinned);
  });
});
