import { EgressRefused } from '../../platform/egress/client.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { failureOf } from '../../platform/git/remote/exchange.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { HostError, UnreadableAnswer } from '../host-client/public.ts';

/** The import cannot go on, whatever is tried. */
export class ImportFailed extends Error {
  override readonly name = 'ImportFailed';
}

/** What is gone, or not for this credential, stays so. */
const lasting = new Set([400, 401, 403, 404, 410, 422, 451]);

/** How git says that it was turned away. */
const denied = /Authentication failed|could not read Username|repository .*not found|returned error: (401|403|404)/i;

function mayPass(error: unknown): boolean {
  if (error instanceof HostError) return !lasting.has(error.status);
  if (error instanceof GitError) return !denied.test(error.stderr);
  return !(error instanceof ImportFailed || error instanceof EgressRefused);
}

/** So often in a row a stage may fail without getting any further. */
const maxFailures = 6;
/** A page to sign in is no trouble that passes. */
const maxUnreadable = 2;

/** Whether it is pointless to try again after so many failures in a row. */
export function isFinal(error: unknown, failures: number): boolean {
  return !mayPass(error) || failures > (error instanceof UnreadableAnswer ? maxUnreadable : maxFailures);
}

/** What went wrong, in words that may be kept. */
export function reasonOf(error: unknown): string {
  const said = error instanceof GitError ? failureOf(error) : error instanceof Error ? error.message : String(error);
  return scrubUrl(said).replaceAll('\0', '\uFFFD').slice(0, 2000);
}
