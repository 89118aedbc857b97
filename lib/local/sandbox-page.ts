import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type HttpAnswer, problemAnswer } from './http-answer.ts';

/** Where the page's sources are: in a checkout. */
const SOURCES = new URL('../sandbox/', import.meta.url);

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;

/** What the page is made of, by path. */
const PARTS: Readonly<
  Record<string, { readonly file: string; readonly answer: (source: URL) => Promise<HttpAnswer> }>
> = {
  '/sandbox': { file: 'sandbox.html', answer: async (source) => text('html', await readFile(source, 'utf8')) },
  '/sandbox/sandbox.css': {
    file: 'sandbox.css',
    answer: async (source) => text('css', await readFile(source, 'utf8')),
  },
  '/sandbox/sandbox.js': { file: 'sandbox.ts', answer: async (source) => text('js', await bundle(source)) },
};

/** Does a path belong to the page? */
export const isSandboxPath = (path: string): boolean => /^\/sandbox(\/|$)/.test(path);

/** Answers what belongs to the page; nothing is kept, so that it shows the sources as they are. */
export async function answerSandbox(method: string, path: string, sources: URL = SOURCES): Promise<HttpAnswer> {
  const part = PARTS[path.replace(/\/$/, '')];
  if (part === undefined || method !== 'GET') {
    return problemAnswer(404, 'Not a part of the page', `GET ${Object.keys(PARTS).join(', GET ')} are.`);
  }
  const source = new URL(part.file, sources);
  if (!existsSync(source)) {
    const detail = 'The sandbox is part of a checkout of Semel (npm start) and not of the package.';
    return problemAnswer(404, 'No page here', detail);
  }
  try {
    return await part.answer(source);
  } catch (error) {
    return problemAnswer(404, 'No page here', `Its sources cannot be built: ${(error as Error).message}`);
  }
}

/** Imported only now: whoever runs the local cloud without looking at the page needs no bundler. */
async function bundle(entry: URL): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [entry.pathname],
    ...{ bundle: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.text ?? '';
}

const text = (kind: keyof typeof TYPES, body: string): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': `${TYPES[kind]}; charset=utf-8`, 'cache-control': 'no-store' },
  cookies: [],
  body: Buffer.from(body),
});
