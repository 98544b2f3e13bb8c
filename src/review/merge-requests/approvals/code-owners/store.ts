import type { Reader, Writer } from '../../../../platform/database/database.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { approversNamedIn, insertRule, requestRules, setApprovers } from '../store.ts';

/** An approval rule derived from CODEOWNERS. */
export interface OwnerRule {
  readonly section: string;
  readonly pattern: string;
  readonly approvals: number;
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly levels: readonly number[];
}

/** Active users by lowercase username. */
export async function usersByUsername(db: Reader, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((eb) => eb(eb.fn<string>('lower', ['username']), 'in', [...names]))
    .where('state', '=', 'active')
    .execute();
  return new Map(rows.map(({ id, username }) => [username.toLowerCase(), id]));
}

/** Among a project's ancestor groups and the groups it is shared with, those with these lowercase paths. */
export async function groupsAt(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (paths.length === 0) return new Map();
  const above = db
    .selectFrom('namespace_ancestors')
    .select('ancestor_id')
    .where('namespace_id', '=', project.namespace_id);
  const shared = db.selectFrom('project_shares').select('with_namespace_id').where('project_id', '=', project.id);
  const rows = await db
    .selectFrom('namespaces')
    .select(['id', 'full_path'])
    .where('kind', '=', 'group')
    .where((eb) => eb.or([eb('id', 'in', above), eb('id', 'in', shared)]))
    .execute();
  const wanted = new Set(paths);
  const found = rows.map(({ id, full_path }) => [full_path.toLowerCase(), id] as const);
  return new Map(found.filter(([path]) => wanted.has(path)));
}

const keyOf = (rule: OwnerRule) => JSON.stringify(rule);

/** Synchronizes the code owner rules of a merge request; existing ones keep their IDs. */
export async function storeOwnerRules(
  trx: Writer,
  { id, project_id }: Pick<MergeRequestRow, 'id' | 'project_id'>,
  wanted: readonly OwnerRule[],
): Promise<void> {
  const stored = (await requestRules(trx, [id])).filter(({ rule_type }) => rule_type === 'code_owner');
  if (stored.length === 0 && wanted.length === 0) return;
  const named = await approversNamedIn(
    trx,
    stored.map((rule) => rule.id),
  );
  const sorted = (ids: readonly number[]) => [...ids].sort((one, two) => one - two);
  const known = new Map(
    stored.map((rule) => {
      const ofRule = <T extends { rule_id: number }>(rows: readonly T[]) =>
        rows.filter((row) => row.rule_id === rule.id);
      const asRule: OwnerRule = {
        section: rule.section ?? '',
        pattern: rule.name,
        approvals: rule.approvals_required,
        userIds: sorted(ofRule(named.users).map(({ user_id }) => user_id)),
        groupIds: sorted(ofRule(named.groups).map((group) => group.id)),
        levels: sorted(ofRule(named.levels).map(({ access_level }) => access_level)),
      };
      return [keyOf(asRule), rule.id];
    }),
  );
  const keys = new Set(wanted.map(keyOf));
  const staleIds = [...known].flatMap(([key, ruleId]) => (keys.has(key) ? [] : [ruleId]));
  if (staleIds.length > 0) await trx.deleteFrom('approval_rules').where('id', 'in', staleIds).execute();
  for (const rule of wanted) if (!known.has(keyOf(rule))) await addOwnerRule(trx, { id, project_id }, rule);
}

async function addOwnerRule(
  trx: Writer,
  { id, project_id }: Pick<MergeRequestRow, 'id' | 'project_id'>,
  { section, pattern, approvals, userIds, groupIds, levels }: OwnerRule,
): Promise<void> {
  const now = Date.now();
  const rule = await insertRule(trx, {
    project_id,
    merge_request_id: id,
    source_rule_id: null,
    name: pattern,
    rule_type: 'code_owner',
    section,
    approvals_required: approvals,
    created_at: now,
    updated_at: now,
  });
  await setApprovers(trx, rule.id, userIds, groupIds);
  const rows = levels.map((access_level) => ({ rule_id: rule.id, access_level }));
  if (rows.length > 0) await trx.insertInto('approval_rule_levels').values(rows).execute();
}
