import type { Actor } from '../../access/actor.ts';
import { holdNamespace, holdTree } from '../../access/namespaces.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { detailOf } from './detail.ts';
import type { GroupDetailEntity } from './schema.ts';
import { updateGroupRow } from './store.ts';

async function archivedAbove(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('a.namespace_id', '=', id)
    .where('a.depth', '>', 0)
    .where('n.archived', '=', 1)
    .executeTakeFirst();
  return found !== undefined;
}

async function refusal(db: Reader, group: Namespace, archive: boolean): Promise<string | undefined> {
  if (group.archived === (archive ? 1 : 0)) return `Group is already ${archive ? 'archived' : 'unarchived'}!`;
  if (!archive) return undefined;
  if (await archivedAbove(db, group.id)) return 'Cannot archive group since one of the ancestors is already archived!';
  return group.marked_for_deletion_at === null ? undefined : 'Cannot archive group since it is scheduled for deletion.';
}

/** Makes a group and everything in it read-only, or takes that back. */
export async function archiveGroup(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  archive: boolean,
  projects: boolean,
): Promise<GroupDetailEntity> {
  await services.db.write(async (trx) => {
    // No group above may become archived, nor this one go below such, while it is looked at.
    await holdTree(trx);
    const held = await holdNamespace(trx, group.id);
    if (!held) throw new NotFound('Group');
    const why = await refusal(trx, held, archive);
    if (why !== undefined) throw new Unprocessable(why);
    await updateGroupRow(trx, group.id, { archived: archive ? 1 : 0 });
  });
  return detailOf(services, actor, group.id, { projects, secrets: true });
}
