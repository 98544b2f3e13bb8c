import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { deleteUser } from '../../people/users/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { idleBots } from './store.ts';

const day = 86_400_000;
const atOnce = 100;

/**
 * Daily: removes bots whose tokens have all been inactive for the configured number of days, together with the tokens.
 * Their contributions are reassigned to the ghost user.
 */
export async function removeIdleBots(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { db, log, settings } = services;
  const { inactive_resource_access_tokens_delete_after_days: days } = await settings.read();
  const ended = now - days * day;
  for (let after = 0; ; ) {
    const ids = await idleBots(db.read, { endedBefore: ended, after }, atOnce);
    for (const id of ids) {
      signal.throwIfAborted();
      const bot = await findUser(db.read, id);
      if (!bot) continue;
      await deleteUser(services, bot, false).catch((error: unknown) => {
        // A bot that is the last owner of a group cannot be removed.
        if (!(error instanceof HttpError)) throw error;
        log.warn({ bot: id, err: error }, 'the bot of an inactive access token cannot be removed');
      });
    }
    after = ids.at(-1) ?? after;
    if (ids.length < atOnce) return;
  }
}
