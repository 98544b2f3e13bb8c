import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberNamespaceIds, memberProjectIds, type NumberOrParameter } from '../../access/visibility/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import type { BoundMeaning } from '../../platform/list-kit/filter.ts';
import { choice, equals, isSet, matches, matchesAll } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { type StoredCount, storedCount } from '../../platform/list-kit/stored-count.ts';
import { onlineTimeoutMs, staleTimeoutMs } from './status.ts';
import { type RunnerRow, runnerTypes } from './tables.ts';

type Condition = RawBuilder<SqlBool>;

const isOfType = (type: string) => sql<SqlBool>`runners.runner_type = ${sql.lit(type)}`;

/** Which runners to list. The first three scopes are disjoint: a runner belongs to the instance, a group or projects. */
export interface RunnerScope {
  readonly of: 'everybody' | 'group' | 'project' | "user's groups" | "user's projects" | 'all';
  readonly user?: number | undefined;
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  readonly now: number;
}

const scope = boundProperties<RunnerScope>()({ values: ['user', 'project', 'group', 'now'] });
type Scope = BoundFilterOf<typeof scope>;

/** Drives the query from the index on a project's runners in ID order; a subquery would build a set for every page. */
const assignedTo = ({ project }: Scope) => sql<RunnerRow>`(
  select rp.runner_id as id, r.runner_type, r.contacted_at, r.created_at, r.paused, r.tag_list
  from runner_projects rp cross join runners r where r.id = rp.runner_id and rp.project_id = ${project})`;

function inScope({ of, user, group, now }: Scope): Condition {
  switch (of) {
    case 'everybody':
      return isOfType('instance_type');
    case 'project':
      return sql`1 = 1`;
    case 'group':
      return sql`runners.namespace_id = ${group}`;
    case "user's projects":
      return sql`runners.id in (select rp.runner_id from runner_projects rp
        where rp.project_id in (${memberProjectIds(user as NumberOrParameter, Role.maintainer, now)}))`;
    case "user's groups":
      return sql`runners.namespace_id in (${memberNamespaceIds(user as NumberOrParameter, Role.owner, now)})`;
    default:
      return sql`1 = 1`;
  }
}

function known({ of, project, group }: Scope): StoredCount | undefined {
  if (of === 'everybody') return storedCount('runners.instance_type');
  if (of === 'project' && project) return storedCount('runner_projects.project_id', project);
  if (of === 'group' && group) return storedCount('runners.namespace_id', group);
  return of === 'all'
    ? sql`${sql.join(
        runnerTypes.map((type) => storedCount(`runners.${type}`)),
        sql` + `,
      )}`
    : undefined;
}

/** Counts all runners of one type. */
function knownOfType(
  { of }: Scope,
  { type, ...others }: Readonly<Record<string, BoundMeaning>>,
): StoredCount | undefined {
  if (of !== 'all' || !type || Object.keys(others).length > 0) return undefined;
  return storedCount(sql<string>`'runners.' || ${type.values[0]}`);
}

const ago = ({ now }: Scope, ms: number) => now.to((at) => at - ms);
const contact = {
  online: (ask: Scope): Condition => sql`runners.contacted_at > ${ago(ask, onlineTimeoutMs)}`,
  offline: (ask: Scope): Condition => sql`runners.contacted_at <= ${ago(ask, onlineTimeoutMs)}`,
  never_contacted: sql<SqlBool>`runners.contacted_at is null`,
  stale: (ask: Scope): Condition => {
    const then = ago(ask, staleTimeoutMs);
    return sql`runners.created_at <= ${then} and (runners.contacted_at is null or runners.contacted_at <= ${then})`;
  },
  active: sql<SqlBool>`runners.paused = 0`,
  paused: sql<SqlBool>`runners.paused = 1`,
};

export const runnerList = list({
  id: 'runners.id',
  scope,
  lateRows: true,
  filters: {
    scope: choice({
      ...contact,
      shared: isOfType('instance_type'),
      specific: sql<SqlBool>`runners.runner_type <> 'instance_type'`,
      instance_type: isOfType('instance_type'),
      group_type: isOfType('group_type'),
      project_type: isOfType('project_type'),
    }),
    type: equals('runners.runner_type', param.oneOf(runnerTypes)),
    status: choice(contact),
    paused: isSet('runners.paused'),
    tag_list: matchesAll(param.commaList(), (tag) =>
      contains(
        sql.ref<string>('runners.tag_list'),
        tag.to((text) => JSON.stringify(String(text))),
      ),
    ),
    version_prefix: matches(
      param.string(),
      (prefix) => sql`exists (select 1 from runner_managers m where m.runner_id = runners.id
        and substr(m.version, 1, length(${prefix})) = ${prefix})`,
    ),
  },
  orders: { id: byId },
  kept: known,
  keptFiltered: knownOfType,
  isWide: ({ of }) => of === 'all',
  select: (db, ask) => {
    const runners = ask.of === 'project' ? db.selectFrom(assignedTo(ask).as('runners')) : db.selectFrom('runners');
    return runners.selectAll('runners').where(inScope(ask));
  },
});
