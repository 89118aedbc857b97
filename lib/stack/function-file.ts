import { fileURLToPath } from 'node:url';

/** The path of the file that holds a function's handler. @example functionFile('transfers') // '/…/functions/transfers.ts' */
export const functionFile = (name: string): string =>
  fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
