import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { changeAvatar } from '../../avatars/public.ts';
import { changeUser } from '../accounts/store.ts';
import { gravatarUrl, userAvatarUrl } from '../profiles/present.ts';
import { findByPublicEmail } from './store.ts';

/** Replaces the caller's avatar, or removes it if blank. */
export async function setOwnAvatar(services: Services, user: User, file: UploadedFile | '') {
  const changed = await changeAvatar(services, file, user.avatar, (trx, column) =>
    changeUser(services, trx, user, column),
  );
  return { avatar_url: userAvatarUrl(changed, services.externalUrl) };
}

/** Matches public e-mail addresses only: a private one must not reveal its owner. */
export async function lookUpAvatar({ db, externalUrl }: Services, email: string, size: number | undefined) {
  const user = await findByPublicEmail(db.read, email);
  if (user?.avatar) return { avatar_url: userAvatarUrl(user, externalUrl) };
  return { avatar_url: gravatarUrl(email, size !== undefined && size > 0 && size <= 2048 ? size : undefined) };
}
