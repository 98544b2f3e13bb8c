import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup, readableProject } from '../../access/subjects.ts';
import { param, required } from '../../platform/http/params.ts';
import { isAvatarNamed, sendAvatar } from './service.ts';

type Identify = (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;

/** What a credential must open to see these files: the same as to read the group or project. */
function endpointOf(gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/uploads/-/system/:kind/avatar/:id/:file',
    tag: 'avatars',
    summary: 'The file of an avatar',
    gate: gates.anyone,
    params: { id: required(param.integer()) },
    answers: { 200: null },
    handle: () => undefined,
  });
}

async function avatarOf({ db }: Services, actor: Actor, kind: string, id: string): Promise<string | null> {
  if (kind === 'group') return (await readableGroup(db, actor, id)).group.avatar;
  return (await readableProject(db, actor, id)).project.avatar;
}

/** The files that `avatar_url` of groups and projects points to, for whoever may see the group or project. */
export function serveAvatars(app: FastifyInstance, services: Services, gates: Gates, identify: Identify): void {
  const endpoint = endpointOf(gates);
  for (const kind of ['group', 'project']) {
    app.get<{ Params: { id: string; file: string } }>(
      `/uploads/-/system/${kind}/avatar/:id(^\\d{1,15}$)/:file`,
      async (request, reply) => {
        const { id, file } = request.params;
        const actor = await identify(request, request.query as Record<string, unknown>, endpoint);
        const stored = await avatarOf(services, actor, kind, id);
        if (!isAvatarNamed(stored, file)) return reply.callNotFound();
        return reply.send(await sendAvatar(services.storage, reply, stored));
      },
    );
  }
}
