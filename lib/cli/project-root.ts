import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ABOVE = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The checkout that this command line belongs to, wherever it is called from; installed as a package, the project that
 * it is called in.
 */
export const PROJECT_ROOT = existsSync(join(ABOVE, 'bin', 'app.ts')) ? ABOVE : process.cwd();
