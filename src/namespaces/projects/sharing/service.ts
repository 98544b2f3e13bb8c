import { sql } from 'kysely';
import type { Actor } from '../../../access/actor.ts';
import { readExpiry } from '../../../access/expiry.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { BadRequest, Conflict, Forbidden, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { dayOrNull } from '../../../platform/http/schema.ts';

export interface NewShare {
  readonly group_id: number;
  readonly group_access: number;
  readonly expires_at?: string | undefined;
}

const hidden = () => new HttpError(404, { message: 'Not Found' });

/** Is the project kept from being shared, by its group or one above? */
async function isLocked(db: Reader, namespaceId: number): Promise<boolean> {
  const above = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.settings')
    .where('a.namespace_id', '=', namespaceId)
    .execute();
  return above.some((row) => settingsOf(row).share_with_group_lock === true);
}

async function isAround(db: Reader, groupId: number, namespaceId: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors')
    .select(sql`1`.as('one'))
    .where('namespace_id', '=', namespaceId)
    .where('ancestor_id', '=', groupId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Lends a group's members a role in a project. */
export async function shareProject(
  { db }: Services,
  actor: Actor,
  subject: ProjectSubject,
  wanted: NewShare,
): Promise<object> {
  const { project } = subject;
  const group = await lookUpNamespace(db.read, String(wanted.group_id));
  if (group?.kind !== 'group') throw new NotFound('Group');
  const other = await groupSubject(db.read, actor, group);
  if (!other.can('read_group')) throw new NotFound('Group');
  if (!subject.can('share_project') || (other.levels.highest === 0 && !other.standing.admin)) throw hidden();
  if (await isLocked(db.read, project.namespace_id)) {
    throw BadRequest.plain('The project sharing with group is disabled');
  }
  if (await isAround(db.read, group.id, project.namespace_id)) {
    throw new Conflict('Project cannot be shared with the group it is in or one of its ancestors.');
  }
  const expires = readExpiry(wanted.expires_at);
  return {
    id: await insertShare(db, project.id, wanted, expires),
    project_id: project.id,
    group_id: group.id,
    group_access: wanted.group_access,
    expires_at: dayOrNull(expires),
  };
}

async function insertShare(db: Database, id: number, wanted: NewShare, expires: number | null): Promise<number> {
  const now = Date.now();
  const pair = { project_id: id, with_namespace_id: wanted.group_id };
  const share = await db
    .write(async (trx) => {
      // One that has run out is gone to everyone who looks: it must not stand in the way of a new one.
      await trx
        .deleteFrom('project_shares')
        .where('project_id', '=', id)
        .where('with_namespace_id', '=', wanted.group_id)
        .where('expires_at', '<=', now)
        .execute();
      const row = { ...pair, access_level: wanted.group_access, expires_at: expires, created_at: now };
      return trx.insertInto('project_shares').values(row).returning('id').executeTakeFirstOrThrow();
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Conflict('Group already shared with this group') : error;
    });
  return share.id;
}

/** Ends it; the owners of either side may. */
export async function unshareProject(
  { db }: Services,
  actor: Actor,
  subject: ProjectSubject,
  groupId: number,
): Promise<void> {
  const link = await db.read
    .selectFrom('project_shares')
    .select('id')
    .where('project_id', '=', subject.project.id)
    .where('with_namespace_id', '=', groupId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', Date.now())]))
    .executeTakeFirst();
  if (!link) throw new NotFound('Group Link');
  const group = await lookUpNamespace(db.read, String(groupId));
  const ownsGroup = group !== undefined && (await groupSubject(db.read, actor, group)).can('admin_group');
  if (!subject.can('share_project') && !ownsGroup) throw Forbidden.plain('Forbidden');
  await db.write((trx) => trx.deleteFrom('project_shares').where('id', '=', link.id).execute());
}
