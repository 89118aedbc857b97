import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const LIMIT = 6_144;

async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: ['lib/exports/client.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  return { bytes: outputFiles[0]?.contents.length ?? 0, inputs: Object.keys(metafile.inputs) };
}

describe('the client', () => {
  it(`R40 fits into ${LIMIT} bytes, minified`, async () => {
    const { bytes } = await bundle();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(LIMIT);
  });

  it('R40 brings no dependency', async () => {
    const { inputs } = await bundle();
    expect(inputs.filter((path) => !/^lib\/(client|protocol|exports)\//.test(path))).toEqual([]);
  });
});
