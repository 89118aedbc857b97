import { CommandError } from './usage-error.ts';

/**
 * Imports what needs an optional peer of the package.
 *
 * @throws CommandError that says what to install where it is missing
 * @example await importOptional('@aws-sdk/client-sqs', () => import('./redrive-queue.ts'))
 */
export async function importOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
    throw new CommandError(`This command needs the package ${name}: npm install ${name}.`, { cause: error });
  }
}
