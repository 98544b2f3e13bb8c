import { Readable } from 'node:stream';
import { run } from '../process/command.ts';
import type { Repository } from '../repository.ts';
import type { DiffOptions } from './diff.ts';

/** Exit code of git before 2.39, which does not know the flag. */
const UNKNOWN_FLAG = 129;

/**
 * Returns the ID that `git patch-id` gives a patch: two patches with the same ID change the same lines in the same
 * surroundings, at whatever line numbers. White space counts. Undefined for an empty patch, and with git before 2.39.
 */
export async function patchId(
  repo: Repository,
  patch: AsyncIterable<Buffer>,
  options: DiffOptions = {},
): Promise<string | undefined> {
  const stdin = Readable.from(patch, { objectMode: false });
  try {
    const limits = { ...options, stdin, okCodes: [0, UNKNOWN_FLAG] };
    const { stdout } = await run(repo, { name: 'patch-id', flags: ['--verbatim'] }, limits);
    return /^[0-9a-f]{40,64}(?= )/.exec(stdout.toString('latin1'))?.[0];
  } finally {
    // Ends the comparison if the process did not read all of it.
    stdin.destroy();
  }
}
