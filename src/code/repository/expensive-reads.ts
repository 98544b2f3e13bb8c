import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Busy, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Git } from '../../platform/git/git.ts';
import { GitBusyError, GitError } from '../../platform/git/process/errors.ts';
import { HttpError, Overloaded } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';

/** One call on a project: by whom, on what, and until when. */
export interface ProjectCall {
  readonly caller: Actor;
  readonly subject: ProjectSubject;
  /** Aborted when the client goes away: neither a place in the queue nor a process is kept for it. */
  readonly signal: AbortSignal;
}

/** The same, by somebody who is signed in. */
export interface SignedInProjectCall extends ProjectCall {
  readonly caller: SignedInActor;
}

// So many at once and so many that wait, per repository. A crawler signs in nowhere, and must not crowd out those who do.
const budgets = {
  people: { running: 4, waiting: 64 },
  anonymous: { running: 2, waiting: 24 },
} as const;

const readsOf = perServer((_: Git) => new KeyedLimiter());

/** Waits for a slot among the expensive reads of a repository; the returned function gives it back. 503 when too many wait. */
export async function acquireReadSlot(
  services: Services,
  { caller, subject, signal }: ProjectCall,
): Promise<() => void> {
  const budget = caller.user || caller.deploy ? 'people' : 'anonymous';
  try {
    return await readsOf(services.git).acquire(`${budget}:${subject.project.id}`, budgets[budget], signal);
  } catch (error) {
    throw asRefusal(error, signal);
  }
}

/** Runs an expensive read when its turn comes. Too many at once, or too long, is a 503 with Retry-After. */
export async function runExpensive<T>(services: Services, call: ProjectCall, work: () => Promise<T>): Promise<T> {
  const release = await acquireReadSlot(services, call);
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error, call.signal);
  } finally {
    release();
  }
}

function asRefusal(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof GitBusyError || error instanceof Busy) return new Overloaded();
  // Nobody is there to read the answer; it must only not look like a fault of the server.
  if (signal.aborted) return new HttpError(499, { message: '499 Client Closed Request' });
  return error instanceof GitError && error.timedOut ? new Overloaded(30) : error;
}
