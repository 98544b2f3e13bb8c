import { text } from 'node:stream/consumers';
import type { Services } from '../src/access/services.ts';
import type { User } from '../src/access/tables.ts';
import { type Config, ConfigError } from '../src/config/config.ts';
import type { HttpError } from '../src/platform/http/errors.ts';
import { randomToken } from '../src/platform/secrets/tokens.ts';
import { CommandError } from './command.ts';
import { withReadableErrors } from './startup-errors.ts';

/** Opens the data for an administrative command; what the API would refuse is told in words. */
export async function administer(config: Config, work: (services: Services) => Promise<void>): Promise<number> {
  // The database may be in use by a server; these commands work beside it.
  const { withServices } = await import('../src/open-services.ts');
  const quiet: Config = { ...config, logLevel: 'warn' };
  await withServices(quiet, async (services, { passwordFile }) => {
    if (passwordFile !== undefined) console.error(`Made the administrator root; the password lies in ${passwordFile}`);
    await work(services).catch(refusalInWords);
  }).catch(withReadableErrors(config));
  return 0;
}

/** The flags without which a command makes no sense; all that are missing are told at once. */
export function needed<Name extends string>(flags: Record<Name, string | undefined>): Record<Name, string> {
  const missing = Object.entries(flags).filter(([, value]) => value === undefined || value === '');
  if (missing.length > 0) throw new ConfigError(missing.map(([name]) => `--${name}: needed here`));
  return flags as Record<Name, string>;
}

/** The user of that name. */
export async function existingUser({ db }: Services, username: string): Promise<User> {
  const { findUserByName } = await import('../src/access/credentials/identify.ts');
  const user = await findUserByName(db.read, username);
  if (user === undefined) throw new CommandError(`there is no user ${username}`);
  return user;
}

/** A password from standard input, or a new one, which is then printed. */
export async function choosePassword(fromInput: boolean): Promise<{ password: string; generated: boolean }> {
  if (!fromInput) return { password: randomToken(24), generated: true };
  const given = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (given === '') throw new CommandError('--password-stdin: nothing came on standard input');
  return { password: given, generated: false };
}

function refusalInWords(error: unknown): never {
  if (!isRefusal(error)) throw error;
  const { message } = error.body as { message?: unknown };
  if (typeof message === 'string') throw new CommandError(message);
  const problems = Object.entries(message ?? {}).map(([field, texts]) => `${field}: ${[texts].flat().join(', ')}`);
  throw new CommandError(problems.join('\n'));
}

function isRefusal(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && 'body' in error;
}
