import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { deleteUser } from './service.ts';
import { findUnconfirmed } from './store.ts';

const day = 86_400_000;
const atOnce = 100;

/** Daily, if enabled: deletes accounts that never confirmed their e-mail address and were never active. */
export async function deleteUnconfirmed(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { delete_unconfirmed_users: enabled, unconfirmed_users_delete_after_days: days } =
    await services.settings.read();
  if (!enabled) return;
  for (let after = 0; ; ) {
    const ids = await findUnconfirmed(services.db.read, { addedBefore: now - days * day, after }, atOnce);
    for (const id of ids) {
      signal.throwIfAborted();
      const user = await findUser(services.db.read, id);
      // Skips accounts confirmed or active since the query.
      if (user && user.confirmed_at === null && user.current_sign_in_at === null && user.last_activity_at === null) {
        await deleteUser(services, user, false).catch((error: unknown) => {
          // The sole owner of a group cannot be deleted.
          if (!(error instanceof HttpError)) throw error;
        });
      }
    }
    after = ids.at(-1) ?? after;
    if (ids.length < atOnce) return;
  }
}
