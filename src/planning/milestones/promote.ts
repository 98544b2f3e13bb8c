import type { SignedInActor } from '../../access/actor.ts';
import { lockNamespaceRow, selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import { nextInternalId } from '../../namespaces/internal-ids/public.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { BadRequest, Forbidden } from '../../platform/http/errors.ts';
import { milestoneError, titleInUse } from './rules.ts';
import { requireMilestone } from './service.ts';
import * as store from './store.ts';

/**
 * Promotes a project milestone to a group milestone. Milestones with the same title in other projects of the group are
 * merged into it.
 */
export async function promoteMilestone(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<200> {
  const found = await requireMilestone(services, subject, id);
  const { namespace } = subject;
  if (namespace.kind !== 'group') throw BadRequest.plain('Project does not belong to a group.');
  const group = await groupSubject(services.db.read, caller, namespace);
  if (!group.can('admin_milestone')) throw new Forbidden();
  await services.db.write(async (trx) => {
    await acquireLock(trx, 'titles of milestones');
    await lockNamespaceRow(trx, namespace.id);
    const line = await selfAndAncestorIds(trx, namespace.id);
    // Milestones of projects below are merged, but ancestor groups keep theirs, which would then have the same title.
    const above = { project_id: null, namespace_id: null };
    if (await store.titleTaken(trx, found.title, above, line, 0)) throw milestoneError('update', titleInUse);
    const same = await store.milestonesInside(trx, namespace.id, found.title);
    const iid = await nextInternalId(trx, { namespace_id: namespace.id }, 'milestones');
    const { title, description, state, start_date, due_date, created_at } = found;
    const row = { title, description, state, start_date, due_date, created_at, updated_at: Date.now() };
    const into = await store.insertMilestone(trx, { ...row, iid, project_id: null, namespace_id: namespace.id });
    const milestoneIds = same.map((milestone) => milestone.id);
    await services.announce(trx, 'milestone.merged', { milestoneIds, into });
    await store.deleteMilestones(trx, milestoneIds);
  });
  return 200;
}
