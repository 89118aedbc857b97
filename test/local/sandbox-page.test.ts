import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerSandbox } from '../../lib/local/sandbox-page.ts';

describe('the sandbox page', () => {
  it.each([
    ['/sandbox', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/sandbox/', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/sandbox/sandbox.css', 'text/css; charset=utf-8', ':root'],
    ['/sandbox/sandbox.js', 'text/javascript; charset=utf-8', 'Idempotency-Attempt'.toLowerCase()],
  ])('answers GET %s as %s', async (path, type, content) => {
    const { status, headers, body } = await answerSandbox('GET', path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-store']);
    expect(body.toString()).toContain(content);
  });

  it('leaves no import in what the browser gets, and names only what there is', async () => {
    const script = (await answerSandbox('GET', '/sandbox/sandbox.js')).body.toString();
    expect(script).not.toMatch(/^\s*import\b/m);
    const html = (await answerSandbox('GET', '/sandbox')).body.toString();
    const links = Array.from(html.matchAll(/(?:href|src)="(\/[^"]*)"/g), ([, link]) => link ?? '');
    expect(links.length).toBe(2);
    for (const link of links) expect((await answerSandbox('GET', link)).status).toBe(200);
  });

  it.each([
    ['GET', '/sandbox/sandbox.ts'],
    ['GET', '/sandbox/../local/start.ts'],
    ['POST', '/sandbox'],
  ])('answers %s %s with 404', async (method, path) => {
    expect((await answerSandbox(method, path)).status).toBe(404);
  });

  it('says what is wrong with the sources, and that there are none in the package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'semel-sandbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sources = pathToFileURL(`${folder}/`);
    for (const path of ['/sandbox', '/sandbox/sandbox.js']) {
      const { status, body } = await answerSandbox('GET', path, sources);
      const detail = 'The sandbox is part of a checkout of Semel (npm start) and not of the package.';
      expect(JSON.parse(body.toString())).toEqual({ type: 'about:blank', title: 'No page here', status, detail });
      expect(status).toBe(404);
    }
    writeFileSync(join(folder, 'sandbox.ts'), 'const x = ;');
    const broken = await answerSandbox('GET', '/sandbox/sandbox.js', sources);
    expect([broken.status, broken.body.toString()]).toEqual([404, expect.stringContaining('Unexpected')]);
  });
});
