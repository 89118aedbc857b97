import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const runtime = JSON.parse(readFileSync('runtime/package.json', 'utf8'));
const pinned: Record<string, string> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...runtime.optionalDependencies,
};

describe('dependencies', () => {
  it('are pinned to one version each', () => {
    expect(Object.entries(pinned).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('of the checkout are not those of the package: who installs it keeps the own Node', () => {
    expect(manifest.optionalDependencies).toBeUndefined();
  });

  it('are explained in docs/dependencies.md', () => {
    const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| `(.+?)` \| (.+?) \| .{8,} \|$/gm);
    expect(Object.fromEntries(Array.from(rows, ([, name, version]) => [name, version]))).toEqual(pinned);
  });
});
