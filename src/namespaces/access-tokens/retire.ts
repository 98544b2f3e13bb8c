import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { deleteUser } from '../../people/users/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { idleBots } from './store.ts';

const day = 86_400_000;
const atOnce = 100;

/**
 * Every day, removes the bots of projects and groups whose tokens have all ended so many days ago, and the tokens with them;
 * what they wrote stays, as the ghost's.
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
        // A group is not left without anybody who owns it.
        if (!(error instanceof HttpError)) throw error;
        log.warn({ bot: id, err: error }, 'the bot of an access token that has ended stays');
      });
    }
    after = ids.at(-1) ?? after;
    if (ids.length < atOnce) return;
  }
}
