import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Busy, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Git } from '../../platform/git/git.ts';
import { GitBusyError, GitError } from '../../platform/git/process/errors.ts';
import { HttpError, Overloaded } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';

/** A request on a project. */
export interface ProjectCall {
  readonly caller: Actor;
  readonly subject: ProjectSubject;
  /** Aborted when the client disconnects, which frees its slot in the queue and stops its process. */
  readonly signal: AbortSignal;
}

/** A project request by a signed-in user. */
export interface SignedInProjectCall extends ProjectCall {
  readonly caller: SignedInActor;
}

// Limits per repository. Anonymous requests are limited separately, so that crawlers cannot starve signed-in users.
const budgets = {
  people: { running: 4, waiting: 64 },
  anonymous: { running: 2, waiting: 24 },
} as const;

const readsOf = perServer((_: Git) => new KeyedLimiter());

/**
 * Waits for an expensive-read slot of a repository. The returned function releases it. Throws 503 if too many requests
 * are waiting.
 */
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

/** Runs an expensive read in a slot. Throws 503 with Retry-After if the queue is full or the read times out. */
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
  // The client has disconnected, so nobody reads the response; only keep it from being logged as a server error.
  if (signal.aborted) return new HttpError(499, { message: '499 Client Closed Request' });
  return error instanceof GitError && error.timedOut ? new Overloaded(30) : error;
}
