import type { Actor } from '../../access/actor.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { HttpError } from '../../platform/http/errors.ts';

const hidden = [401, 403, 404];
/** sbt and Ivy look their passwords up by this name: it is the one that their users have written down for GitLab. */
const challenge = { 'www-authenticate': 'Basic realm="GitLab Packages Registry"' };

/**
 * What a refusal says. Maven, and pip with a keyring, show their name and password to those alone who ask for them: who
 * brings nothing is asked, whether there is something or not.
 */
export function challengeFor(caller: Actor, error: unknown): unknown {
  const isNobody = caller.user === null && !caller.deploy;
  if (!isNobody || !(error instanceof HttpError) || !hidden.includes(error.status)) return error;
  return new HttpError(401, { message: '401 Unauthorized' }, challenge);
}

/** A gate at which nobody is turned away unasked. */
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
