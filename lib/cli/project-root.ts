import { fileURLToPath } from 'node:url';

/** The checkout that this command line belongs to, wherever it is called from. */
export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));
