import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../../../access/area.ts';
import { isAvatarNamed, sendAvatar } from '../../../people/avatars/public.ts';
import { findTopic } from './store.ts';

/** Serves the topic avatars that API responses link to. */
export function serveTopicAvatars(app: FastifyInstance, { services }: PageContext): void {
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
