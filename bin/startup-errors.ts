import type { Config } from '../src/config/config.ts';
import { outageReason } from '../src/platform/http/server/outages.ts';
import { CommandError } from './command.ts';

/** Rethrows failures that the administrator can fix as a message; others keep their stack trace. */
export function withReadableErrors(config: Config): (error: unknown) => never {
  return (error) => {
    const sentence = sentenceOf(error, config);
    throw sentence === undefined ? error : new CommandError(sentence);
  };
}

/** Returns the problem and how to fix it; undefined for internal errors. */
export function sentenceOf(error: unknown, config: Config): string | undefined {
  const place = `${config.host} port ${config.port}`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `${place} is taken: stop what listens there, or choose another with --port`,
    EADDRNOTAVAIL: `${place}: this machine has no such address; choose another with --host`,
    EACCES: `${place} or ${config.data} is not open to this user; hearth doctor says more`,
    ECONNREFUSED: 'the database does not answer at DATABASE_URL; is it running?',
    ENOTFOUND: 'the host in DATABASE_URL is not known here',
  };
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (error.name === 'SchemaMismatch' || code === 'START_REFUSED') return error.message;
  return sentences[code] ?? outage(error, config);
}

/** Disk or database problems that surface while a server starts. */
function outage(error: unknown, { data, databaseUrl }: Config): string | undefined {
  const reason = outageReason(error);
  if (reason === undefined) return undefined;
  const place = databaseUrl === undefined ? data : 'DATABASE_URL';
  const advice = reason.endsWith('damaged') ? 'restore the last backup; ' : '';
  return `${reason} (${place}): ${advice}hearth doctor says more`;
}
