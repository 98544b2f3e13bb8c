import type { SignedInActor } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../../access/subjects.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { checkDirectoryLock } from '../directory-lock.ts';
import { checkMemberAdditions, mayGrant } from '../rules.ts';
import { copyMembers, deleteAnsweredRequests, deleteExpiredMembers } from './store.ts';

/** Copies the members of another project with their roles, limited to those that the caller may grant. */
export async function importMembers(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  sourceId: number,
): Promise<{ status: string }> {
  const { db } = services;
  await checkDirectoryLock(services, subject);
  const source = await readableProject(db, actor, sourceId);
  if (!source.can('admin_member')) throw new Forbidden('Project');
  const highest = subject.standing.admin ? Role.owner : subject.levels.highest;
  const planner = mayGrant(subject.standing, Role.planner) ? Role.planner : Role.guest;
  const [from, to] = [source.project.id, subject.project.id];
  await db.write(async (trx) => {
    const now = Date.now();
    // Expired memberships are replaced, as when a user is added directly.
    await deleteExpiredMembers(trx, to, now);
    const domains = await checkMemberAdditions(trx, subject);
    await copyMembers(trx, { from, to, highest, planner, by: actor.user.id, now, domains });
    await deleteAnsweredRequests(trx, to);
  });
  return { status: 'success' };
}
