import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { Route } from '../../access/route.ts';
import { readableProject } from '../../access/subjects.ts';
import type { Services } from '../../platform/services.ts';
import { isAvatarNamed, sendAvatar } from '../avatars/service.ts';
import { findTopic } from './topic-store.ts';
import { downloadRoute, sendUpload } from './upload-routes.ts';

type Identify = (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;

/** The files that answers point to outside of the API: uploads by their `full_path`, and the pictures of topics. */
export function serveProjectFiles(app: FastifyInstance, services: Services, gates: Gates, identify: Identify): void {
  // A credential opens the page if it opens the same file through the API.
  const endpoint = downloadRoute(services, gates);

  app.get<{ Params: { id: string; secret: string; filename: string } }>(
    '/-/project/:id(^\\d{1,15}$)/uploads/:secret(^[0-9a-f]{32}$)/:filename',
    async (request, reply) => {
      const actor = await identify(request, request.query as Record<string, unknown>, endpoint);
      const subject = await readableProject(services.db, actor, request.params.id);
      return sendUpload(services, reply, subject, request.params);
    },
  );

  app.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/projects/topic/avatar/:id(^\\d{1,15}$)/:file',
    async (request, reply) => {
      const topic = await findTopic(services.db.read, Number(request.params.id));
      const stored = topic?.avatar ?? null;
      if (!isAvatarNamed(stored, request.params.file)) return reply.callNotFound();
      return reply.send(await sendAvatar(services.storage, reply, stored));
    },
  );
}
