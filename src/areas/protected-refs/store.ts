import type { Expression, Kysely } from 'kysely';
import { belongs, type PlaceColumns } from '../../access/place.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Grant, RefRule } from './access.ts';
import type { GrantAction, GrantRow, ProtectedBranchRow, ProtectedTagRow } from './tables.ts';

type Of = { project: number; namespace: number };

const grantColumns = ['g.action', 'g.access_level', 'g.user_id', 'g.group_id', 'g.deploy_key_id'] as const;

const branchRules = statement((db, param: Param<Of>) =>
  db
    .selectFrom('protected_branches as r')
    .leftJoin('protected_ref_grants as g', 'g.branch_id', 'r.id')
    .select(['r.id', 'r.name', 'r.allow_force_push', ...grantColumns])
    .where((eb) =>
      eb.or([eb('r.project_id', '=', param('project')), eb('r.namespace_id', 'in', above(db, param('namespace')))]),
    ),
);

const tagRules = statement((db, param: Param<Pick<Of, 'project'>>) =>
  db
    .selectFrom('protected_tags as r')
    .leftJoin('protected_ref_grants as g', 'g.tag_id', 'r.id')
    .select((eb) => ['r.id', 'r.name', eb.lit(0).as('allow_force_push'), ...grantColumns])
    .where('r.project_id', '=', param('project')),
);

function above(db: Kysely<Tables>, namespace: Expression<number>) {
  return db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespace);
}

type RuleRow = { id: number; name: string; allow_force_push: number } & { [K in keyof Grant]: Grant[K] | null };

function gather(rows: readonly RuleRow[]): RefRule[] {
  const rules = new Map<number, RefRule & { grants: Grant[] }>();
  for (const { id, name, allow_force_push, action, ...rest } of rows) {
    let rule = rules.get(id);
    if (!rule) {
      rule = { name, allowForcePush: allow_force_push === 1, grants: [] };
      rules.set(id, rule);
    }
    if (action !== null) rule.grants.push({ action, ...rest });
  }
  return [...rules.values()];
}

/** The rules over a project's branches: its own, and those of the groups above it. */
export async function loadBranchRules(db: Reader, project: { id: number; namespace_id: number }): Promise<RefRule[]> {
  return gather(await branchRules.all(db, { project: project.id, namespace: project.namespace_id }));
}

/** The rules over a project's tags. */
export async function loadTagRules(db: Reader, projectId: number): Promise<RefRule[]> {
  return gather(await tagRules.all(db, { project: projectId }));
}

/** The rules that an owner's list shows: for a project, those of the groups above it too. */
export function branchesOf(db: Reader, owner: { projectId: number | null; namespaceIds: readonly number[] }) {
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where((eb) =>
      eb.or([
        ...(owner.projectId === null ? [] : [eb('project_id', '=', owner.projectId)]),
        ...(owner.namespaceIds.length === 0 ? [] : [eb('namespace_id', 'in', [...owner.namespaceIds])]),
      ]),
    );
}

export async function findBranchRule(
  db: Reader,
  owner: PlaceColumns,
  name: string,
): Promise<ProtectedBranchRow | undefined> {
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where(belongs('protected_branches', owner))
    .where('name', '=', name)
    .executeTakeFirst();
}

// The project's own rule stands at depth -1, so that it comes before those of the groups above.
const nearest = statement((db, param: Param<Of & { name: string }>) =>
  db
    .selectFrom('protected_branches as r')
    .leftJoin('namespace_ancestors as a', (join) =>
      join.onRef('a.ancestor_id', '=', 'r.namespace_id').on('a.namespace_id', '=', param('namespace')),
    )
    .selectAll('r')
    .where('r.name', '=', param('name'))
    .where((eb) =>
      eb.or([eb('r.project_id', '=', param('project')), eb('r.namespace_id', 'in', above(db, param('namespace')))]),
    )
    .orderBy((eb) => eb.fn.coalesce('a.depth', eb.lit(-1)))
    .limit(1),
);

/** The rule of this name that a project has, else that of the nearest group above it. */
export function nearestBranchRule(
  db: Reader,
  project: { id: number; namespace_id: number },
  name: string,
): Promise<ProtectedBranchRow | undefined> {
  return nearest.first(db, { project: project.id, namespace: project.namespace_id, name });
}

export async function insertBranchRule(
  trx: Writer,
  owner: PlaceColumns,
  rule: { name: string; allow_force_push: boolean; code_owner_approval_required: boolean },
): Promise<ProtectedBranchRow> {
  const now = Date.now();
  return trx
    .insertInto('protected_branches')
    .values({
      ...owner,
      name: rule.name,
      allow_force_push: rule.allow_force_push ? 1 : 0,
      code_owner_approval_required: rule.code_owner_approval_required ? 1 : 0,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateBranchRule(trx: Writer, id: number, change: Partial<ProtectedBranchRow>): Promise<void> {
  const set = { ...change, updated_at: Date.now() };
  await trx.updateTable('protected_branches').set(set).where('id', '=', id).execute();
}

export async function deleteBranchRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('protected_branches').where('id', '=', id).execute();
}

export function tagsOf(db: Reader, projectId: number) {
  return db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId);
}

export async function findTagRule(db: Reader, projectId: number, name: string): Promise<ProtectedTagRow | undefined> {
  return tagsOf(db, projectId).where('name', '=', name).executeTakeFirst();
}

export async function insertTagRule(trx: Writer, projectId: number, name: string): Promise<ProtectedTagRow> {
  const now = Date.now();
  const row = { project_id: projectId, name, created_at: now, updated_at: now };
  return trx.insertInto('protected_tags').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteTagRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('protected_tags').where('id', '=', id).execute();
}

/** The rule that grants belong to. */
export type GrantOwner = { readonly branch_id: number } | { readonly tag_id: number };

export async function insertGrants(trx: Writer, owner: GrantOwner, grants: readonly Grant[]): Promise<void> {
  if (grants.length === 0) return;
  const rows = grants.map((grant) => ({ branch_id: null, tag_id: null, ...owner, ...grant }));
  await trx.insertInto('protected_ref_grants').values(rows).execute();
}

/** Changes one grant of a rule over branches; false when the rule has none of that number for that action. */
export async function changeGrant(
  trx: Writer,
  rule: number,
  action: GrantAction,
  id: number,
  change: Partial<Grant> | 'remove',
): Promise<boolean> {
  if (change === 'remove') {
    const gone = await trx
      .deleteFrom('protected_ref_grants')
      .where('id', '=', id)
      .where('branch_id', '=', rule)
      .where('action', '=', action)
      .executeTakeFirst();
    return gone.numDeletedRows > 0n;
  }
  const set = { access_level: null, user_id: null, group_id: null, deploy_key_id: null, ...change };
  const done = await trx
    .updateTable('protected_ref_grants')
    .set(set)
    .where('id', '=', id)
    .where('branch_id', '=', rule)
    .where('action', '=', action)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** A grant with the name of whom it means. */
export interface NamedGrant extends GrantRow {
  readonly user_name: string | null;
  readonly group_name: string | null;
  readonly key_title: string | null;
}

/** The grants of these rules, in one query. */
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
