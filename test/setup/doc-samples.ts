import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the samples of a page that are whole files, each of which begins with its name in a comment, into a folder.
 *
 * @param change is made to each text
 * @returns the names of the files
 */
export function writeSamples(page: string, folder: string, change = (text: string): string => text): string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```ts\n(\/\/ ([\w-]+\.ts)\b.*?)^```$/gms);
  return Array.from(blocks, ([, text = '', name = '']) => {
    writeFileSync(join(folder, name), change(text));
    return name;
  });
}
