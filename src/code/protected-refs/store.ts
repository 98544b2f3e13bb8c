import { type Expression, type Kysely, sql } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { Grant, RefRule } from './access.ts';
import type { ProtectedBranchRow, ProtectedTagRow } from './tables.ts';

type Of = { project: number; namespace: number };

const grantColumns = ['g.action', 'g.access_level', 'g.user_id', 'g.group_id', 'g.deploy_key_id'] as const;

/**
 * The branch rules of a project: its own, and those of its ancestor groups with their depth. A union, because with an
 * OR over project and groups PostgreSQL would read the whole table.
 */
function rulesOver(db: Kysely<Tables>, project: Expression<number>, namespace: Expression<number>) {
  const inherited = db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('protected_branches as b', 'b.namespace_id', 'a.ancestor_id')
    .selectAll('b')
    .select('a.depth')
    .where('a.namespace_id', '=', namespace);
  return db
    .selectFrom('protected_branches as b')
    .selectAll('b')
    .select(sql<number>`-1`.as('depth'))
    .where('b.project_id', '=', project)
    .unionAll(inherited)
    .as('r');
}

const branchRules = statement((db, param: Param<Of>) =>
  db
    .selectFrom(rulesOver(db, param('project'), param('namespace')))
    .leftJoin('protected_ref_grants as g', 'g.branch_id', 'r.id')
    .select(['r.id', 'r.name', 'r.allow_force_push', 'r.code_owner_approval_required', ...grantColumns]),
);

const nearest = statement((db, param: Param<Of & { name: string }>) =>
  db
    .selectFrom(rulesOver(db, param('project'), param('namespace')))
    .selectAll()
    .where('r.name', '=', param('name'))
    .orderBy('r.depth')
    .limit(1),
);

const tagRules = statement((db, param: Param<Pick<Of, 'project'>>) =>
  db
    .selectFrom('protected_tags as r')
    .leftJoin('protected_ref_grants as g', 'g.tag_id', 'r.id')
    .select((eb) => [
      'r.id',
      'r.name',
      eb.lit(0).as('allow_force_push'),
      eb.lit(0).as('code_owner_approval_required'),
      ...grantColumns,
    ])
    .where('r.project_id', '=', param('project')),
);

type RuleRow = Pick<ProtectedBranchRow, 'id' | 'name' | 'allow_force_push' | 'code_owner_approval_required'> & {
  [K in keyof Grant]: Grant[K] | null;
};

function groupByRule(rows: readonly RuleRow[]): RefRule[] {
  const rules = new Map<number, RefRule & { grants: Grant[] }>();
  for (const { id, name, allow_force_push, code_owner_approval_required, action, ...rest } of rows) {
    let rule = rules.get(id);
    if (!rule) {
      rule = {
        name,
        allowForcePush: allow_force_push === 1,
        codeOwners: code_owner_approval_required === 1,
        grants: [],
      };
      rules.set(id, rule);
    }
    if (action !== null) rule.grants.push({ action, ...rest });
  }
  return [...rules.values()];
}

/** Loads the branch rules of a project, including those of its ancestor groups. */
export async function loadBranchRules(db: Reader, project: { id: number; namespace_id: number }): Promise<RefRule[]> {
  return groupByRule(await branchRules.all(db, { project: project.id, namespace: project.namespace_id }));
}

const inProjects = statement((db, param: Param<{ projects: readonly number[] }>) =>
  db
    .selectFrom('protected_branches')
    .select(['project_id', 'name', 'code_owner_approval_required'])
    .where('project_id', 'in', param.ids('projects')),
);
const inGroups = statement((db, param: Param<{ namespaces: readonly number[] }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('protected_branches as b', 'b.namespace_id', 'a.ancestor_id')
    .select(['a.namespace_id', 'b.name', 'b.code_owner_approval_required'])
    .where('a.namespace_id', 'in', param.ids('namespaces')),
);

/** Names and wildcards of the protected branches of a project. */
export type ProtectedNames = readonly Pick<RefRule, 'name' | 'codeOwners'>[];

/** Loads the protected branches of several projects by project ID, in a fixed number of queries. */
export async function protectedNames(
  db: Reader,
  projects: readonly { readonly id: number; readonly namespace_id: number }[],
): Promise<ReadonlyMap<number, ProtectedNames>> {
  if (projects.length === 0) return new Map();
  const [own, inherited] = await Promise.all([
    inProjects.all(db, { projects: projects.map(({ id }) => id) }),
    inGroups.all(db, { namespaces: [...new Set(projects.map(({ namespace_id }) => namespace_id))] }),
  ]);
  return new Map(
    projects.map(({ id, namespace_id }) => {
      const rows = [
        ...own.filter(({ project_id }) => project_id === id),
        ...inherited.filter((row) => row.namespace_id === namespace_id),
      ];
      return [
        id,
        rows.map(({ name, code_owner_approval_required }) => ({
          name,
          codeOwners: code_owner_approval_required === 1,
        })),
      ];
    }),
  );
}

export async function branchRulesById(db: Reader, ids: readonly number[]): Promise<ProtectedBranchRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
}

/** Loads the tag rules of a project. */
export async function loadTagRules(db: Reader, projectId: number): Promise<RefRule[]> {
  return groupByRule(await tagRules.all(db, { project: projectId }));
}

/** Lists the branch rules of an owner; for a project including those of its ancestor groups. */
export function listBranchRules(
  db: Reader,
  owner: { projectId: number | null; namespaceIds: readonly number[] },
  search: string | undefined,
  slice: Slice,
) {
  const query = db
    .selectFrom('protected_branches')
    .selectAll()
    .where((eb) =>
      eb.or([
        ...(owner.projectId === null ? [] : [eb('project_id', '=', owner.projectId)]),
        ...(owner.namespaceIds.length === 0 ? [] : [eb('namespace_id', 'in', [...owner.namespaceIds])]),
      ]),
    )
    .orderBy('id');
  return fetchPage(db, search ? query.where((eb) => contains(eb.ref('name'), search)) : query, slice);
}

export async function findBranchRule(
  db: Reader,
  owner: OwnerColumns,
  name: string,
): Promise<ProtectedBranchRow | undefined> {
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where(belongsTo('protected_branches', owner))
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Finds the branch rule of this name in the project, or else in its nearest ancestor group. */
export function nearestBranchRule(
  db: Reader,
  project: { id: number; namespace_id: number },
  name: string,
): Promise<ProtectedBranchRow | undefined> {
  return nearest.first(db, { project: project.id, namespace: project.namespace_id, name });
}

/** Inserts a rule. Returns undefined if there is one of that name, even if inserted concurrently. */
export async function insertBranchRule(
  trx: Writer,
  owner: OwnerColumns,
  rule: { name: string; allow_force_push: boolean; code_owner_approval_required: boolean },
): Promise<ProtectedBranchRow | undefined> {
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
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateBranchRule(trx: Writer, id: number, change: Partial<ProtectedBranchRow>): Promise<void> {
  const set = { ...change, updated_at: Date.now() };
  await trx.updateTable('protected_branches').set(set).where('id', '=', id).execute();
}

export async function deleteBranchRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('protected_branches').where('id', '=', id).execute();
}

function tagsOf(db: Reader, projectId: number) {
  return db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId);
}

export function listTagRules(db: Reader, projectId: number, slice: Slice) {
  return fetchPage(db, tagsOf(db, projectId).orderBy('id'), slice);
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
