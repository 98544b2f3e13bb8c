import { sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { readExpiry } from '../../access/expiry.ts';
import { ancestorsOf } from '../../access/namespaces.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { BadRequest, Conflict, HttpError, NotFound } from '../../platform/http/errors.ts';
import { detailOf } from './detail.ts';
import type { GroupDetailEntity } from './schema.ts';
import { settingsOfGroup } from './settings.ts';

export interface NewShare {
  readonly group_id: number;
  readonly group_access: number;
  readonly expires_at?: string;
}

const hidden = () => new HttpError(404, { message: 'Not Found' });

/** Lends the group to the members of another one, up to a level. */
export async function shareGroup(
  services: Services,
  actor: Actor,
  subject: GroupSubject,
  wanted: NewShare,
): Promise<GroupDetailEntity> {
  const { db } = services;
  const { group } = subject;
  const invited = await lookUpNamespace(db.read, String(wanted.group_id));
  // Without the right, as with a group that cannot be seen, the answer tells neither apart.
  if (!subject.can('admin_group') || invited?.kind !== 'group') throw hidden();
  if (!(await groupSubject(db.read, actor, invited)).can('read_group')) throw hidden();
  if (await leavesHierarchy(db.read, group, invited)) throw hidden();
  if (invited.id === group.id) throw BadRequest.plain('Shared group cannot be shared with itself');
  await insertShare(db, group.id, wanted);
  return detailOf(services, actor, group.id);
}

async function insertShare(db: Database, id: number, wanted: NewShare): Promise<void> {
  const now = Date.now();
  const expires = readExpiry(wanted.expires_at, now);
  const pair = { namespace_id: id, with_namespace_id: wanted.group_id };
  await db
    .write(async (trx) => {
      // One that has run out is gone to everyone who looks: it must not stand in the way of a new one.
      await trx
        .deleteFrom('group_shares')
        .where('namespace_id', '=', id)
        .where('with_namespace_id', '=', wanted.group_id)
        .where('expires_at', '<=', now)
        .execute();
      const row = { ...pair, access_level: wanted.group_access, expires_at: expires, created_at: now };
      await trx.insertInto('group_shares').values(row).execute();
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw new Conflict('Shared group The group has already been shared with this group');
    });
}

/** The top of the tree may forbid to invite groups from outside of it. */
async function leavesHierarchy(db: Reader, group: Namespace, invited: Namespace): Promise<boolean> {
  const top = await db
    .selectFrom('namespaces')
    .select(['id', 'settings'])
    .where('parent_id', 'is', null)
    .where('id', 'in', await ancestorsOf(db, group.id))
    .executeTakeFirst();
  if (!top || !settingsOfGroup(top).prevent_sharing_groups_outside_hierarchy) return false;
  return !(await ancestorsOf(db, invited.id)).includes(top.id);
}

/** Takes a group's invitation back. */
export async function unshareGroup(
  { db }: Services,
  actor: Actor,
  subject: GroupSubject,
  invitedId: number,
): Promise<void> {
  const { group } = subject;
  const link = { namespace_id: group.id, with_namespace_id: invitedId };
  const found = await db.read
    .selectFrom('group_shares')
    .select('id')
    .where('namespace_id', '=', link.namespace_id)
    .where('with_namespace_id', '=', link.with_namespace_id)
    .where(sql<boolean>`(expires_at is null or expires_at > ${Date.now()})`)
    .executeTakeFirst();
  if (!found) throw new NotFound('Group Link');
  if (!subject.can('admin_group')) {
    // A quirk of the protocol: who may not take it back is told 204 all the same, and nothing changes. But whether a
    // group that they cannot see was invited is not for them to learn.
    const invited = await lookUpNamespace(db.read, String(invitedId));
    if (!invited || !(await groupSubject(db.read, actor, invited)).can('read_group')) throw new NotFound('Group Link');
    return;
  }
  await db.write((trx) => trx.deleteFrom('group_shares').where('id', '=', found.id).execute());
}
