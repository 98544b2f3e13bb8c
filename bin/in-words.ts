import type { Config } from '../src/config/config.ts';
import { CommandError } from './command.ts';

/** Rethrows a failure that people can do something about as a sentence; the others keep their stack. */
export function inWords(config: Config): (error: unknown) => never {
  const place = `${config.host} port ${config.port}`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `${place} is taken: stop what listens there, or choose another with --port`,
    EADDRNOTAVAIL: `${place}: this machine has no such address; choose another with --host`,
    EACCES: `${place} or ${config.data} is not open to this user; hearth doctor says more`,
    ECONNREFUSED: 'the database does not answer at DATABASE_URL; is it running?',
    ENOTFOUND: 'the host in DATABASE_URL is not known here',
  };
  return (error) => {
    if (!(error instanceof Error)) throw error;
    const sentence = 'code' in error ? sentences[String(error.code)] : undefined;
    if (error.name === 'SchemaMismatch' || error.name === 'LostData') throw new CommandError(error.message);
    throw sentence === undefined ? error : new CommandError(sentence);
  };
}
