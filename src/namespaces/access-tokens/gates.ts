import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { BadRequest, type HttpError, Unauthorized } from '../../platform/http/errors.ts';

type TokenGate = Gate<Actor, ProjectOrGroup, SignedInActor>;

/**
 * Gates for the token routes of a project or group. Callers who can see the resource but not manage its tokens get
 * GitLab's specific error instead of a plain 403.
 */
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
    /** Only human users may create tokens; bots may not. */
    creating: refusing((actor, subject) =>
      subject.can('admin_access_token') && actor.user?.kind === 'human'
        ? undefined
        : new BadRequest(`User does not have permission to create ${kind} access token`),
    ),
    /** Whether access is refused also depends on the token, so the service checks it. */
    touching: { ...gate, asks },
  };
}
