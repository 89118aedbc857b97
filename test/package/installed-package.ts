import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve('.');
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** What the package says that it needs. Nothing else can be imported, so what it forgot to say is noticed. */
const NEEDED = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
/** What a project in TypeScript has anyway. */
const TOOLS = ['typescript', '@types/node'];

/** A project of somebody else's with the packed package in it. */
export interface Project {
  readonly folder: string;
  /** The package, as npm packed it. */
  readonly tarball: string;
  /** Runs a program there and answers what it prints. @throws Error with its output when it fails */
  run(program: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<string>;
  remove(): void;
}

/**
 * Packs the package and installs it into a copy of the minimal example, without a network: what it needs is linked to
 * what is installed here.
 */
export async function installPackage(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'semel-package-'));
  cpSync(join('examples', 'minimal'), folder, { recursive: true });
  await run('npm', ['run', 'build', '--silent']);
  const packed = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const tarball = join(folder, packed.stdout.trim());
  linkDependencies(folder, tarball);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
  });
  return {
    folder,
    tarball,
    run: async (program, args, environment = {}) => {
      const env = { ...process.env, ...environment, PATH: searchPath(folder) };
      const { stdout } = await run(program, [...args], { cwd: folder, env }).catch(withOutput);
      return stdout;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkDependencies(folder: string, tarball: string): void {
  const file = join(folder, 'package.json');
  const { devDependencies: _, ...project } = JSON.parse(readFileSync(file, 'utf8'));
  const links = [...NEEDED, ...TOOLS].map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]);
  const dependencies = { ...Object.fromEntries(links), semel: `file:${tarball}` };
  writeFileSync(file, JSON.stringify({ ...project, dependencies }, null, 2));
}

export const searchPath = (folder: string): string =>
  [join(folder, 'node_modules', '.bin'), join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

function withOutput(error: Error & { readonly stdout?: string; readonly stderr?: string }): never {
  throw new Error(`${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`);
}
