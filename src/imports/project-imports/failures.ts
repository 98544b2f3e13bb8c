import { EgressRefused } from '../../platform/egress/client.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { failureOf } from '../../platform/git/remote/exchange.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { HostError, UnreadableAnswer } from '../host-client/public.ts';

/** A permanent error: retrying would not help. */
export class ImportFailed extends Error {
  override readonly name = 'ImportFailed';
}

/** Statuses of permanent errors. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 422, 451]);

/** Git errors for missing permissions. */
const denied = /Authentication failed|could not read Username|repository .*not found|returned error: (401|403|404)/i;

function isTemporary(error: unknown): boolean {
  if (error instanceof HostError) return !permanentStatuses.has(error.status);
  if (error instanceof GitError) return !denied.test(error.stderr);
  return !(error instanceof ImportFailed || error instanceof EgressRefused);
}

/** Maximum number of consecutive failures of a stage without progress. */
const maxFailures = 6;
/** A sign-in page is not a temporary error. */
const maxUnreadable = 2;

/** Whether retrying is pointless after this many consecutive failures. */
export function isFinal(error: unknown, failures: number): boolean {
  return !isTemporary(error) || failures > (error instanceof UnreadableAnswer ? maxUnreadable : maxFailures);
}

/** Error message without secrets, suitable for storage. */
export function reasonOf(error: unknown): string {
  const message = error instanceof GitError ? failureOf(error) : error instanceof Error ? error.message : String(error);
  return scrubUrl(message).replaceAll('\0', '\uFFFD').slice(0, 2000);
}
