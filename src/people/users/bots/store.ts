import type { Writer } from '../../../platform/database/database.ts';

/** Blocks the bots of a project's access tokens; returns their ids. */
export async function blockProjectBots(trx: Writer, projectId: number): Promise<number[]> {
  const bots = await trx
    .updateTable('users')
    .set({ state: 'blocked' })
    .where('bot_project_id', '=', projectId)
    .returning('id')
    .execute();
  return bots.map(({ id }) => id);
}

/** Deletes the bots of a group's access tokens. */
export async function deleteGroupBots(trx: Writer, groupId: number): Promise<void> {
  await trx.deleteFrom('users').where('bot_namespace_id', '=', groupId).where('kind', '=', 'project_bot').execute();
}
