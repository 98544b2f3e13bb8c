import { type Actor, canReadEverything } from '../../../access/actor.ts';
import type { User } from '../../../access/tables.ts';
import { visibleGroupIds, visibleProjectIds } from '../../../access/visibility/visible-ids.ts';
import type { Reader } from '../../../platform/database/database.ts';

type Bot = Pick<User, 'kind' | 'name' | 'bot_project_id' | 'bot_namespace_id'>;

const present = (id: number | null): id is number => id !== null;

/**
 * Replaces the names of bots by `****` if the viewer cannot see their project or group: a bot has the name of its
 * token, which may reveal private details.
 */
export async function hideBotNames<U extends Bot>(
  db: Reader,
  actor: Actor,
  users: readonly U[],
): Promise<readonly U[]> {
  const bots = users.filter((user) => user.kind === 'project_bot');
  if (bots.length === 0 || canReadEverything(actor)) return users;
  const projects = await visibleProjectIds(db, actor, bots.map((bot) => bot.bot_project_id).filter(present));
  const groups = await visibleGroupIds(db, actor, bots.map((bot) => bot.bot_namespace_id).filter(present));
  return users.map((user) => {
    if (user.kind !== 'project_bot') return user;
    const known =
      (user.bot_project_id != null && projects.has(user.bot_project_id)) ||
      (user.bot_namespace_id != null && groups.has(user.bot_namespace_id));
    return known ? user : { ...user, name: '****' };
  });
}
