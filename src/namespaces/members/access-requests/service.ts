import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Forbidden, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { addMember, addOrConflict } from '../membership.ts';
import type { MemberEntity } from '../schema.ts';
import { getMember } from '../service.ts';
import { directMember, lockMembers } from '../store.ts';
import type { AccessRequestEntity } from './schema.ts';
import * as store from './store.ts';

async function presentRequests(
  { db, externalUrl }: Services,
  rows: readonly store.AccessRequestRow[],
): Promise<AccessRequestEntity[]> {
  const users = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    return user ? [{ ...user, requested_at: instant(row.requested_at) }] : [];
  });
}

/** Lists the access requests of a project or group. */
export async function listAccessRequests(
  services: Services,
  subject: ProjectOrGroup,
  page: PageRequest,
): Promise<Page<AccessRequestEntity>> {
  const { rows, total } = await store.listRequests(services.db.read, ownerColumnsOf(subject), page);
  return new Page(await presentRequests(services, rows), total);
}

/** Requests access for the caller, if requests are enabled and the caller has no role. */
export async function requestAccess(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectOrGroup,
): Promise<AccessRequestEntity> {
  const { request_access_enabled: enabled } = settingsOf(isProject(subject) ? subject.project : subject.group);
  if (enabled === false || subject.levels.highest > 0 || !subject.can('request_access')) throw new Forbidden();
  const columns = ownerColumnsOf(subject);
  const row = await services.db
    .write(async (trx) => {
      await lockMembers(trx, subject);
      if (await directMember(trx, subject, user.id)) throw new Forbidden();
      const inserted = await store.insertRequest(trx, { ...columns, user_id: user.id, requested_at: Date.now() });
      const { namespace_id: namespaceId, project_id: projectId } = columns;
      await services.announce(trx, 'access.requested', { user, namespaceId, projectId });
      return inserted;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ user_id: ['has already been taken'] }) : error;
    });
  const [request] = await presentRequests(services, [row]);
  if (!request) throw new NotFound('User');
  return request;
}

async function requireRequest(db: Reader, subject: ProjectOrGroup, userId: number): Promise<store.AccessRequestRow> {
  const found = await store.findRequest(db, ownerColumnsOf(subject), userId);
  if (!found) throw NotFound.record();
  return found;
}

/** Deletes a request before it is answered, so that of two concurrent answers the second finds none. */
async function takeRequest(trx: Writer, subject: ProjectOrGroup, userId: number): Promise<void> {
  await lockMembers(trx, subject);
  const { id } = await requireRequest(trx, subject, userId);
  await store.deleteRequest(trx, id);
}

/** Approves a request and makes the requester a member. */
export async function approveAccessRequest(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
  access_level: number,
): Promise<MemberEntity> {
  await addOrConflict(services, async (trx) => {
    await takeRequest(trx, subject, userId);
    const user = await findUser(trx, userId);
    if (!user) throw new NotFound('User');
    await addMember(services, trx, caller, subject, user, { access_level });
  });
  return getMember(services, caller, subject, userId);
}

/** Denies a request, or withdraws the caller's own. */
export async function denyAccessRequest(
  { db, announce }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
): Promise<void> {
  await requireRequest(db.read, subject, userId);
  if (caller.user.id !== userId && !subject.can('admin_member')) throw new Forbidden();
  const { namespace_id: namespaceId, project_id: projectId } = ownerColumnsOf(subject);
  await db.write(async (trx) => {
    await takeRequest(trx, subject, userId);
    await announce(trx, 'access.denied', { userId, namespaceId, projectId, by: caller.user });
  });
}
