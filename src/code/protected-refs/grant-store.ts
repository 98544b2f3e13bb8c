import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberNamespaceIds } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Grant } from './access.ts';
import type { GrantAction, GrantRow } from './tables.ts';

/** The rule that a grant belongs to. */
export type GrantOwner = { readonly branch_id: number } | { readonly tag_id: number };

export async function insertGrants(trx: Writer, owner: GrantOwner, grants: readonly Grant[]): Promise<void> {
  if (grants.length === 0) return;
  const rows = grants.map((grant) => ({ branch_id: null, tag_id: null, ...owner, ...grant }));
  await trx.insertInto('protected_ref_grants').values(rows).execute();
}

/** Updates or removes a grant of a branch rule. Returns false if the rule has no such grant for the action. */
export async function changeGrant(
  trx: Writer,
  rule: number,
  action: GrantAction,
  id: number,
  change: Partial<Grant> | 'remove',
): Promise<boolean> {
  if (change === 'remove') {
    const removed = await trx
      .deleteFrom('protected_ref_grants')
      .where('id', '=', id)
      .where('branch_id', '=', rule)
      .where('action', '=', action)
      .executeTakeFirst();
    return removed.numDeletedRows > 0n;
  }
  const set = { access_level: null, user_id: null, group_id: null, deploy_key_id: null, ...change };
  const updated = await trx
    .updateTable('protected_ref_grants')
    .set(set)
    .where('id', '=', id)
    .where('branch_id', '=', rule)
    .where('action', '=', action)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** A grant with the name of its user, group or deploy key. */
export interface NamedGrant extends GrantRow {
  readonly user_name: string | null;
  readonly group_name: string | null;
  readonly key_title: string | null;
}

/** Returns the grants of these rules. */
export async function grantsOf(
  db: Reader,
  column: 'branch_id' | 'tag_id',
  ids: readonly number[],
): Promise<NamedGrant[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('protected_ref_grants as g')
    .leftJoin('users as u', 'u.id', 'g.user_id')
    .leftJoin('namespaces as n', 'n.id', 'g.group_id')
    .leftJoin('ssh_keys as k', 'k.id', 'g.deploy_key_id')
    .selectAll('g')
    .select(['u.name as user_name', 'n.name as group_name', 'k.title as key_title'])
    .where(`g.${column}`, 'in', [...ids])
    .orderBy('g.id')
    .execute();
}

const writableKey = statement((db, param: Param<{ key: number; project: number }>) =>
  db
    .selectFrom('deploy_key_projects')
    .select('key_id')
    .where('key_id', '=', param('key'))
    .where('project_id', '=', param('project'))
    .where('can_push', '=', 1),
);
const invitedGroup = statement((db, param: Param<{ group: number; project: number; namespace: number }>) =>
  db
    .selectFrom('project_shares')
    .select('with_namespace_id as id')
    .where('project_id', '=', param('project'))
    .where('with_namespace_id', '=', param('group'))
    .unionAll(
      db
        .selectFrom('namespace_ancestors as a')
        .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
        .select('a.ancestor_id as id')
        .where('a.namespace_id', '=', param('namespace'))
        .where('a.ancestor_id', '=', param('group'))
        .where('n.kind', '=', 'group'),
    ),
);

/** Whether a deploy key has write access to a project. */
export async function isWritableKey(db: Reader, key: number, project: number): Promise<boolean> {
  return (await writableKey.first(db, { key, project })) !== undefined;
}

/** Whether a group is an ancestor of a project or shared with it. */
export async function isInvitedGroup(
  db: Reader,
  group: number,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<boolean> {
  return (await invitedGroup.first(db, { group, project: project.id, namespace: project.namespace_id })) !== undefined;
}

/** Returns the groups in which a user has at least the Developer role. */
export async function groupsWithPushRight(db: Reader, userId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where(sql<boolean>`id in (${memberNamespaceIds(userId, Role.developer)})`)
    .execute();
  return new Set(rows.map((row) => row.id));
}
