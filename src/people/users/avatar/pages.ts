import type { FastifyInstance } from 'fastify';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { isAvatarNamed, sendAvatar } from '../../avatars/public.ts';

/** Serves the avatars of users, which are public. */
export function serveUserAvatars(app: FastifyInstance, { db, storage }: Services): void {
  app.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/user/avatar/:id(^\\d{1,15}$)/:file',
    async (request, reply) => {
      const user = await findUser(db.read, Number(request.params.id));
      if (!user || !isAvatarNamed(user.avatar, request.params.file)) return reply.callNotFound();
      return reply.send(await sendAvatar(storage, reply, user.avatar));
    },
  );
}
