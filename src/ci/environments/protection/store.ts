import type { OwnerColumns } from '../../../access/project-or-group.ts';
import { belongsTo } from '../../../access/project-or-group.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { ApprovalRow, GrantRow, ProtectedEnvironmentRow } from '../tables.ts';
import type { NamedGrant, Protection } from './access.ts';

export type NewGrant = Omit<GrantRow, 'id' | 'protected_environment_id'>;

export function listProtections(db: Reader, owner: OwnerColumns, slice: Slice) {
  const query = db.selectFrom('protected_environments').selectAll().where(belongsTo('protected_environments', owner));
  return fetchPage(db, query.orderBy('name').orderBy('id'), slice);
}

export function findProtection(
  db: Reader,
  owner: OwnerColumns,
  name: string,
): Promise<ProtectedEnvironmentRow | undefined> {
  return db
    .selectFrom('protected_environments')
    .selectAll()
    .where(belongsTo('protected_environments', owner))
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Returns undefined when a rule of that name exists already. */
export function insertProtection(
  trx: Writer,
  row: OwnerColumns & Pick<ProtectedEnvironmentRow, 'name' | 'required_approval_count'>,
): Promise<ProtectedEnvironmentRow | undefined> {
  const now = Date.now();
  return trx
    .insertInto('protected_environments')
    .values({ ...row, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateProtection(trx: Writer, id: number, change: Partial<ProtectedEnvironmentRow>) {
  const set = { ...change, updated_at: Date.now() };
  await trx.updateTable('protected_environments').set(set).where('id', '=', id).execute();
}

/** Returns false when the rule no longer exists. */
export async function deleteProtection(trx: Writer, id: number): Promise<boolean> {
  const result = await trx.deleteFrom('protected_environments').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function insertGrants(trx: Writer, protection: number, grants: readonly NewGrant[]): Promise<void> {
  if (grants.length === 0) return;
  const rows = grants.map((grant) => ({ ...grant, protected_environment_id: protection }));
  await trx.insertInto('protected_environment_grants').values(rows).execute();
}

export async function updateGrant(trx: Writer, id: number, change: Partial<NewGrant>): Promise<void> {
  await trx.updateTable('protected_environment_grants').set(change).where('id', '=', id).execute();
}

export async function deleteGrant(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('protected_environment_grants').where('id', '=', id).execute();
}

/** The grants of these rules, with one query. */
export async function grantsOf(db: Reader, ids: readonly number[]): Promise<NamedGrant[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('protected_environment_grants as g')
    .leftJoin('users as u', 'u.id', 'g.user_id')
    .leftJoin('namespaces as n', 'n.id', 'g.group_id')
    .selectAll('g')
    .select(['u.name as user_name', 'n.name as group_name'])
    .where('g.protected_environment_id', 'in', [...ids])
    .orderBy('g.id')
    .execute();
}

export async function withGrants(db: Reader, rows: readonly ProtectedEnvironmentRow[]): Promise<Protection[]> {
  const grants = await grantsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    grants: grants.filter(({ protected_environment_id }) => protected_environment_id === row.id),
  }));
}

/** The rules that apply to an environment: those of the project by name, and those of its groups by tier. */
export async function protectionsForEnvironment(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
  environment: { readonly name: string; readonly tier: string },
): Promise<Protection[]> {
  const rows = await db
    .selectFrom('protected_environments')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('name', '=', environment.name)
    .unionAll(
      db
        .selectFrom('namespace_ancestors as a')
        .innerJoin('protected_environments as p', 'p.namespace_id', 'a.ancestor_id')
        .selectAll('p')
        .where('a.namespace_id', '=', project.namespace_id)
        .where('p.name', '=', environment.tier),
    )
    .execute();
  return withGrants(db, rows);
}

export function approvalsOf(db: Reader, deploymentId: number): Promise<ApprovalRow[]> {
  return db
    .selectFrom('deployment_approvals')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .orderBy('id')
    .execute();
}

/** Saves an approval; replaces the user's previous one. */
export function saveApproval(
  trx: Writer,
  approval: Pick<ApprovalRow, 'deployment_id' | 'user_id' | 'grant_id' | 'status' | 'comment'>,
): Promise<ApprovalRow> {
  const now = Date.now();
  const { grant_id, status, comment } = approval;
  return trx
    .insertInto('deployment_approvals')
    .values({ ...approval, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['deployment_id', 'user_id']).doUpdateSet({ grant_id, status, comment, updated_at: now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}
