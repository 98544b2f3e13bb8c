import type { SignedInActor } from '../../../access/actor.ts';
import { lockHierarchy, lockNamespaceRow } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { detailOf } from '../detail/present.ts';
import type { GroupDetailEntity } from '../detail/schema.ts';
import { isSelfOrAncestorArchived, updateGroupRow } from '../store.ts';

/** Archives a group, which makes it and everything in it read-only. */
export function archiveGroup(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  withProjects: boolean,
): Promise<GroupDetailEntity> {
  return setArchived(services, caller, subject, true, withProjects);
}

/** Unarchives a group. */
export function unarchiveGroup(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  withProjects: boolean,
): Promise<GroupDetailEntity> {
  return setArchived(services, caller, subject, false, withProjects);
}

async function setArchived(
  services: Services,
  caller: SignedInActor,
  { group: { id } }: GroupSubject,
  archived: boolean,
  projects: boolean,
): Promise<GroupDetailEntity> {
  await services.db.write(async (trx) => {
    // Locks the hierarchy, so that no ancestor is archived and the group is not moved while its state is checked.
    await lockHierarchy(trx);
    const before = await lockNamespaceRow(trx, id);
    if (!before) throw new NotFound('Group');
    const reason = await refusal(trx, before, archived);
    if (reason !== undefined) throw new Unprocessable(reason);
    const group = await updateGroupRow(trx, id, { archived: archived ? 1 : 0 });
    await services.announce(trx, 'group.updated', { before, group, by: caller.user });
  });
  return detailOf(services, caller, id, { projects, secrets: true });
}

async function refusal(db: Reader, group: Namespace, archive: boolean): Promise<string | undefined> {
  if (group.archived === (archive ? 1 : 0)) return `Group is already ${archive ? 'archived' : 'unarchived'}!`;
  if (!archive) return undefined;
  if (await isSelfOrAncestorArchived(db, group.id))
    return 'Cannot archive group since one of the ancestors is already archived!';
  return group.marked_for_deletion_at === null ? undefined : 'Cannot archive group since it is scheduled for deletion.';
}
