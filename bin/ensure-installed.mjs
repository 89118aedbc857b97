// Runs before each npm script, so that all of them work in a fresh clone: installs what package-lock.json pins unless it
// is there already, then makes sure that the scripts will run on a recent enough Node. Standard output is the script's.
// Plain JavaScript for any Node from 16 on: the host's Node may be older than the one the project brings along.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_HOST = 20; // npm 10, which understands the lock file, comes with it
const OLDEST_RUNTIME = 24; // the Lambda runtime; runs TypeScript files as they are

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');

if (majorOf(process.version) < OLDEST_HOST) {
  fail(`Semel needs Node ${OLDEST_HOST} or newer to install itself; this is ${process.version} (${process.execPath}).`);
}
if (!isInstalled()) install();
checkRuntime();

/** Compares contents, not dates: a checkout touches files without changing what they say. */
function isInstalled() {
  const wanted = packagesIn('package-lock.json');
  const installed = packagesIn(join('node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const present = installed[path];
    // Optional packages are made for one platform each; npm leaves the others out.
    if (present === undefined) return entry.optional === true;
    return present.version === entry.version && present.integrity === entry.integrity;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.error('Installing the pinned dependencies (npm ci, a minute or so) …');
  // npm itself must run on the host's Node: the one in node_modules is about to be replaced.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== bin);
  const result = spawnSync(
    'npm',
    ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      stdio: ['inherit', 2, 2],
    },
  );
  if (result.error) fail(`npm could not be started: ${result.error.message}. It comes with Node: https://nodejs.org`);
  if (result.status !== 0) fail('npm ci failed; its own message is above.');
}

/** A platform package that failed to install is skipped by npm without a word, so its absence is noticed here. */
function checkRuntime() {
  const own = join(bin, 'node');
  const runtime = existsSync(own) ? own : process.execPath;
  const version = spawnSync(runtime, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  if (majorOf(version) >= OLDEST_RUNTIME) return;
  fail(
    `Semel runs on Node ${OLDEST_RUNTIME}, and ${runtime} is ${version || 'not runnable here'}.\n` +
      `On Linux with glibc (x64, arm64) it comes with npm ci: remove node_modules and try again.\n` +
      `Elsewhere install Node ${OLDEST_RUNTIME} from https://nodejs.org.`,
  );
}

function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10) || 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
