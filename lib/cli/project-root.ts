import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ABOVE = fileURLToPath(new URL('../..', import.meta.url));
const IS_CHECKOUT = existsSync(join(ABOVE, 'bin', 'app.ts'));

/** How this command line is called, for commands that it prints to be copied. */
export const CALLED_AS = IS_CHECKOUT ? 'npm run -s semel --' : 'semel';

/**
 * The checkout that this command line belongs to, wherever it is called from; installed as a package, the project that
 * it is called in.
 */
export const PROJECT_ROOT = IS_CHECKOUT ? ABOVE : process.cwd();
