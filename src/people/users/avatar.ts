import type { FastifyInstance } from 'fastify';
import { findUser } from '../../access/identify.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { UploadedFile } from '../../platform/http/upload.ts';
import { changeAvatar, isAvatarNamed, sendAvatar } from '../avatars/public.ts';
import { hasPublicEmail } from './list-query.ts';
import { gravatarUrl, userAvatarUrl } from './present.ts';

/** Replaces the caller's own avatar, or with a blank takes it away. */
export async function setOwnAvatar(services: Services, user: User, wanted: UploadedFile | '') {
  const changed = await changeAvatar(services, wanted, user.avatar, async (column) => {
    const change = { ...column, updated_at: Date.now() };
    await services.db.write((trx) => trx.updateTable('users').set(change).where('id', '=', user.id).execute());
    return { ...user, ...column };
  });
  return { avatar_url: userAvatarUrl(changed, services.externalUrl) };
}

/** By the address that someone shows to all, and no other: a hidden one must not lead to its owner. */
export async function lookUpAvatar({ db, externalUrl }: Services, email: string, size: number | undefined) {
  const user = await db.read
    .selectFrom('users')
    .select(['id', 'email', 'avatar'])
    .where((eb) => hasPublicEmail(eb.ref('public_email'), email))
    .executeTakeFirst();
  if (user?.avatar) return { avatar_url: userAvatarUrl(user, externalUrl) };
  return { avatar_url: gravatarUrl(email, size !== undefined && size > 0 && size <= 2048 ? size : undefined) };
}

/** The files that `avatar_url` of users points to; they are open to everyone, as the addresses are. */
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
