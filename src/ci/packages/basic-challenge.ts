import type { Actor } from '../../access/actor.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { HttpError } from '../../platform/http/errors.ts';

const challengedStatuses = [401, 403, 404];
/** The realm under which sbt and Ivy look up passwords; GitLab users have configured this name. */
const challenge = { 'www-authenticate': 'Basic realm="GitLab Packages Registry"' };

/**
 * Replaces the error for anonymous callers by an authentication challenge, whether or not the resource exists. Maven,
 * and pip with a keyring, send credentials only when challenged.
 */
export function challengeFor(caller: Actor, error: unknown): unknown {
  const isAnonymous = caller.user === null && !caller.deploy;
  if (!isAnonymous || !(error instanceof HttpError) || !challengedStatuses.includes(error.status)) return error;
  return new HttpError(401, { message: '401 Unauthorized' }, challenge);
}

/** Wraps a gate so that anonymous callers get a challenge instead of an error. */
export function withChallenge<Subject>(gate: Gate<Actor, Subject>): Gate<Actor, Subject> {
  return {
    ...gate,
    before(caller) {
      try {
        gate.before?.(caller);
      } catch (error) {
        throw challengeFor(caller, error);
      }
    },
    async enter(caller, params, request) {
      try {
        return await gate.enter(caller, params, request);
      } catch (error) {
        throw challengeFor(caller, error);
      }
    },
  };
}
