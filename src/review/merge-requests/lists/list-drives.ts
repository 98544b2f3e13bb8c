import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Param, param } from '../../../platform/http/params.ts';
import type { BoundMeaning, Drive, Filter, Meaning, Sent } from '../../../platform/list-kit/filter.ts';
import type { RequestScopeAsked } from './list-scope.ts';

type Ids = RawBuilder<{ id: number }>;
type Value = Expression<unknown>;
type Condition = RawBuilder<SqlBool>;

const also = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  sql.join(
    conditions.map((condition) => sql` and ${condition}`),
    sql``,
  );

/** Labels of this title that merge requests in scope can carry: of the project, or of any group, since projects move. */
export function labelsTitled(title: Value, { within, project }: RequestScopeAsked): Ids {
  if (within !== 'project') return sql`select id from labels where title = ${title}`;
  return sql`select id from labels where project_id = ${project} and title = ${title}
    union all select id from labels where title = ${title} and namespace_id is not null`;
}

/** From those that carry the first label; they have the others too. */
export const labels: Drive<RequestScopeAsked> = {
  counts: true,
  ids: ({ values: [first, ...others] }, ask) => {
    const carried = (title: Value): Condition => sql`exists (select 1 from merge_request_labels o
      where o.merge_request_id = ml.merge_request_id and o.label_id in (${labelsTitled(title, ask)}))`;
    return sql`select distinct ml.merge_request_id as id from merge_request_labels ml
      where ml.label_id in (${labelsTitled(first as Value, ask)})${also(others.map(carried))}`;
  },
};

/** The parts of the one condition on a deployment, in the order in which their values are bound. */
const parts = ['environment', 'deployed_after', 'deployed_before'] as const;
type Part = (typeof parts)[number];

/** All that was sent about deployments is asked of one and the same; the first part that was sent asks for all. */
function readDeployed(own: Part, all: Sent): Meaning | undefined {
  const sent = parts.filter((part) => all[part] !== undefined && all[part] !== '');
  if (sent[0] !== own) return undefined;
  const values = sent.map((part) => all[part] as string | number);
  // Most of all that was merged may have been deployed at some time, but few environments get all of it.
  return { word: sent.join(), values, repeated: true, many: own !== 'environment' };
}

function deployments({ word = '', values }: BoundMeaning, { within, project }: RequestScopeAsked): Condition {
  const asked = word.split(',').map((part, at): Condition => {
    if (part === 'environment') return sql`e.name = ${values[at]}`;
    return part === 'deployed_after' ? sql`d.finished_at >= ${values[at]}` : sql`d.finished_at <= ${values[at]}`;
  });
  const here: Condition[] = within === 'project' ? [sql`d.project_id = ${project} and e.project_id = ${project}`] : [];
  return sql`(${sql.join([...here, ...asked], sql` and `)})`;
}

const deployed = sql`deployment_merge_requests dm join deployments d on d.id = dm.deployment_id
  join environments e on e.id = d.environment_id`;

function deployedFilter<P extends Param<unknown>>(own: Part, declared: P): Filter<P, RequestScopeAsked, false> {
  return {
    param: declared,
    negatable: false,
    read: (_sent: never, all: Sent) => readDeployed(own, all),
    condition: (given, ask) =>
      sql`exists (select 1 from ${deployed} where dm.merge_request_id = merge_requests.id and ${deployments(given, ask)})`,
    drive: {
      ids: (given, ask) => sql`select dm.merge_request_id as id from ${deployed} where ${deployments(given, ask)}`,
    },
  };
}

/** `environment`, `deployed_after` and `deployed_before`. */
export const deployedFilters = {
  environment: deployedFilter('environment', param.string()),
  deployed_after: deployedFilter('deployed_after', param.dateTime()),
  deployed_before: deployedFilter('deployed_before', param.dateTime()),
};
