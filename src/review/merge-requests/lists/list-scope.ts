import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../access/roles.ts';
import { memberProjectIds, type Value, type Viewer } from '../../../access/visibility/visible.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';

type Condition = RawBuilder<SqlBool>;

/** Where merge requests are looked for, and by whom. */
export interface RequestScope extends Viewer {
  readonly within: 'project' | 'group' | 'all' | 'commit';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** Those that brought this commit, of one project. */
  readonly sha?: string | undefined;
  /** Those that reached an environment with this deployment, of one project. */
  readonly deployment?: number | undefined;
  readonly today: string;
}

export const requestScopeForm = form<RequestScope>()({
  values: ['project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});
export type RequestScopeAsked = BoundFilterOf<typeof requestScopeForm>;

/** The least role that reads merge requests where being able to see the project is not enough: planners, and all above. */
const leastMember = 15;

/** The projects of the group, or of all, whose merge requests the caller reads. */
function readableProjects({ sees, user, now, within, group }: RequestScopeAsked): Condition {
  const inGroup: Condition =
    within === 'group'
      ? sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${group})`
      : sql`1 = 1`;
  const level = (least: number): Condition =>
    sql`p.merge_requests_access >= ${sql.lit(least)} and p.repository_access >= ${sql.lit(least)}`;
  const member: Condition =
    user === undefined
      ? sql`1 = 0`
      : sql`(${level(10)} and p.id in (${memberProjectIds(user as Value, leastMember, now as Value)}))`;
  const readable: Condition =
    sees === 'all' ? level(1) : sql`((p.visibility >= ${sql.lit(Visibility[sees])} and ${level(20)}) or ${member})`;
  return sql`exists (select 1 from projects p where p.id = merge_requests.project_id and ${inGroup} and ${readable})`;
}

/** What the caller may read of those. */
export function readableRequests(ask: RequestScopeAsked): Condition {
  const { within, project, sha, deployment } = ask;
  if (within === 'project') {
    const brought: Condition =
      deployment === undefined
        ? sql`1 = 1`
        : sql`merge_requests.id in (
            select dm.merge_request_id from deployment_merge_requests dm where dm.deployment_id = ${deployment})`;
    return sql`merge_requests.project_id = ${project} and ${brought}`;
  }
  if (within !== 'commit') return readableProjects(ask);
  return sql`merge_requests.project_id = ${project} and (merge_requests.id in (
      select c.merge_request_id from merge_request_commits c where c.sha = ${sha})
    or merge_requests.merge_commit_sha = ${sha})`;
}
