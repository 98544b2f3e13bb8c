import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { BadRequest, type HttpError, Unauthorized } from '../../platform/http/errors.ts';

type TokenGate = Gate<Actor, ProjectOrGroup, SignedInActor>;

/** The gates in front of the tokens of a project or group: who may see it, but not manage its tokens, is told in other words. */
export function accessTokenGates(gate: TokenGate, kind: 'project' | 'group') {
  const asks = { ...gate.asks, ability: 'admin_access_token' };
  const refusing = (refusal: (actor: Actor, subject: ProjectOrGroup) => HttpError | undefined): TokenGate => ({
    ...gate,
    asks,
    async enter(actor, params, request) {
      const subject = await gate.enter(actor, params, request);
      const refused = refusal(actor, subject);
      if (refused) throw refused;
      return subject;
    },
  });
  return {
    reading: refusing((_actor, subject) => (subject.can('admin_access_token') ? undefined : new Unauthorized())),
    /** People alone make tokens, not what acts for them. */
    creating: refusing((actor, subject) =>
      subject.can('admin_access_token') && actor.user?.kind === 'human'
        ? undefined
        : new BadRequest(`User does not have permission to create ${kind} access token`),
    ),
    /** What is refused here depends on the token too: the service says it. */
    touching: { ...gate, asks },
  };
}
