import { sql } from 'kysely';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { afterCommit, type Writer } from '../../platform/database/database.ts';
import { lockRow, lockRows } from '../../platform/database/locks.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { discardAvatar } from '../avatars/public.ts';
import { forgetAttributes } from '../custom-attributes/public.ts';
import { ghostUser } from './ghost.ts';
import { holdOwnedGroups, solelyOwnedGroups } from './sole-owner.ts';

/**
 * Removes the account with everything that is the user's alone: tokens, keys, addresses, memberships, the namespace,
 * which must be empty. Unless `hard`, what others still see belongs to the ghost from then on.
 */
export async function removeAccount(services: Services, trx: Writer, user: User, hard: boolean): Promise<void> {
  const { id } = user;
  await holdOwnedGroups(trx, id);
  // From here on nobody gives the account anything any more.
  if (!(await lockRow(trx, 'users', id, 'remove'))) throw new NotFound('User');
  await takeStarsBack(trx, id);
  if (hard) await removeOwnedGroups(services, trx, id);
  else await handOver(trx, id, (await ghostUser(trx, new URL(services.externalUrl).hostname)).id);
  // A key that lets a deployment in serves the project, whoever added it.
  await trx.updateTable('ssh_keys').set({ user_id: null }).where('user_id', '=', id).where('deploy', '>', 0).execute();
  await forgetAttributes(trx, 'user', id);
  await trx.deleteFrom('users').where('id', '=', id).execute();
  afterCommit(trx, () => void discardAvatar(services, user.avatar));
}

/** The stars go with the account, and are counted off where they were given. */
async function takeStarsBack(trx: Writer, user: number): Promise<void> {
  const stars = await trx.deleteFrom('stars').where('user_id', '=', user).returning('project_id').execute();
  const ids = stars.map((star) => star.project_id);
  await lockRows(trx, 'projects', ids);
  if (ids.length === 0) return;
  const set = { star_count: sql<number>`star_count - 1` };
  await trx.updateTable('projects').set(set).where('id', 'in', ids).execute();
}

/** They are marked, as whatever is removed; the job of groups takes them from there. */
async function removeOwnedGroups({ queue }: Services, trx: Writer, user: number): Promise<void> {
  for (const { id } of await solelyOwnedGroups(trx, user)) {
    const mark = { marked_for_deletion_at: Date.now() };
    await trx.updateTable('namespaces').set(mark).where('id', '=', id).execute();
    await queue.enqueue(trx, 'groups.remove', { groupId: id }, { dedupeKey: `${id}` });
  }
}

/** Areas whose rows outlive their author change them here. */
async function handOver(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute();
  await trx.updateTable('commit_comments').set({ author_id: to }).where('author_id', '=', from).execute();
}
