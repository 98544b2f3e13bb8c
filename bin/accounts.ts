import { text } from 'node:stream/consumers';
import type { Services } from '../src/access/services.ts';
import type { User } from '../src/access/tables.ts';
import { type Config, ConfigError } from '../src/config/config.ts';
import type { HttpError } from '../src/platform/http/errors.ts';
import { randomToken } from '../src/platform/secrets/tokens.ts';
import { CommandError } from './command.ts';
import { withReadableErrors } from './startup-errors.ts';

/** Opens the data for an administrative command; refusals are printed as messages without a stack trace. */
export async function administer(config: Config, work: (services: Services) => Promise<void>): Promise<number> {
  // A server may be using the database; these commands work next to it.
  const { withServices } = await import('../src/open-services.ts');
  const quiet: Config = { ...config, logLevel: 'warn' };
  await withServices(quiet, async (services, { passwordFile }) => {
    if (passwordFile !== undefined) console.error(`Created the administrator root; its password is in ${passwordFile}`);
    await work(services).catch(asCommandError);
  }).catch(withReadableErrors(config));
  return 0;
}

/** Returns the required flags; throws an error listing all missing ones. */
export function requireFlags<Name extends string>(flags: Record<Name, string | undefined>): Record<Name, string> {
  const missing = Object.entries(flags).filter(([, value]) => value === undefined || value === '');
  if (missing.length > 0) throw new ConfigError(missing.map(([name]) => `--${name}: needed here`));
  return flags as Record<Name, string>;
}

/** Looks up a user by name. */
export async function existingUser({ db }: Services, username: string): Promise<User> {
  const { findUserByName } = await import('../src/access/credentials/identify.ts');
  const user = await findUserByName(db.read, username);
  if (user === undefined) throw new CommandError(`there is no user ${username}`);
  return user;
}

/** Reads a password from standard input, or generates one, which the caller prints. */
export async function choosePassword(fromInput: boolean): Promise<{ password: string; generated: boolean }> {
  if (!fromInput) return { password: randomToken(24), generated: true };
  const input = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (input === '') throw new CommandError('--password-stdin: standard input is empty');
  return { password: input, generated: false };
}

function asCommandError(error: unknown): never {
  if (!isRefusal(error)) throw error;
  const { message } = error.body as { message?: unknown };
  if (typeof message === 'string') throw new CommandError(message);
  const problems = Object.entries(message ?? {}).map(([field, texts]) => `${field}: ${[texts].flat().join(', ')}`);
  throw new CommandError(problems.join('\n'));
}

function isRefusal(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && 'body' in error;
}
