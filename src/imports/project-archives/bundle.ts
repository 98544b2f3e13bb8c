import { open, stat } from 'node:fs/promises';
import type { Services } from '../../access/services.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { failureOf, fetchRefs } from '../../platform/git/remote/exchange.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { ifMissing } from '../../platform/missing.ts';
import { ImportFailed } from '../project-imports/public.ts';

const bundleHead = /^# v[23] git bundle\n/;
const headBytes = 16;

/**
 * Git detects the type of a file itself: it would treat a file that starts with `gitdir:` as the repository it refers
 * to, whoever owns that.
 */
async function isBundle(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return bundleHead.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Fetches a bundle, checking every object like those of a push. Returns false if there is no bundle. */
export async function fetchBundle(
  { services, signal }: { readonly services: Services; readonly signal: AbortSignal },
  repo: Repository,
  path: string,
  refspecs: readonly string[],
): Promise<boolean> {
  if (!(await stat(path).catch(ifMissing))) return false;
  if (!(await isBundle(path))) throw new ImportFailed('the bundle cannot be read: it is not a Git bundle');
  const connection = { url: path, options: { config: { 'protocol.file.allow': 'always' } } };
  await fetchRefs(repo, connection, refspecs, { signal }).catch((error: unknown) => {
    // Retrying would not help, because the file does not change.
    const final = error instanceof GitError && !signal.aborted && !error.timedOut;
    throw final ? new ImportFailed(`the bundle cannot be read: ${failureOf(error)}`) : error;
  });
  services.git.release(repo);
  return true;
}
