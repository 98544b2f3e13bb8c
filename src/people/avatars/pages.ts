import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup, readableProject } from '../../access/subjects.ts';
import { param, required } from '../../platform/http/params.ts';
import { isAvatarNamed, sendAvatar } from './service.ts';

type Identify = (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;

/**
 * The route whose authorization applies to avatar files: a credential that may read the group or project may read its
 * avatar.
 */
function endpointOf(gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/uploads/-/system/:kind/avatar/:id/:file',
    tag: 'avatars',
    summary: 'Download an avatar',
    gate: gates.anyone,
    params: { id: required(param.integer()) },
    responses: { 200: null },
    handle: () => undefined,
  });
}

type Wanted = FastifyRequest<{ Params: { id: string; file: string } }>;

/** Serves the avatars of groups and projects to everyone who can read them. */
export function serveAvatars(app: FastifyInstance, services: Services, gates: Gates, identify: Identify): void {
  const endpoint = endpointOf(gates);
  const actorOf = (request: Wanted) => identify(request, request.query as Record<string, unknown>, endpoint);
  const send = async (reply: FastifyReply, stored: string | null, file: string) => {
    if (!isAvatarNamed(stored, file)) return reply.callNotFound();
    return reply.send(await sendAvatar(services.storage, reply, stored));
  };
  app.get('/uploads/-/system/group/avatar/:id(^\\d{1,15}$)/:file', async (request: Wanted, reply) => {
    const { group } = await readableGroup(services.db, await actorOf(request), request.params.id);
    return send(reply, group.avatar, request.params.file);
  });
  app.get('/uploads/-/system/project/avatar/:id(^\\d{1,15}$)/:file', async (request: Wanted, reply) => {
    const { project } = await readableProject(services.db, await actorOf(request), request.params.id);
    return send(reply, project.avatar, request.params.file);
  });
}
