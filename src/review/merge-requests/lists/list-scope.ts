import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../access/roles.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { shaped, written } from '../../../platform/database/shaped.ts';
import { apart, readApart } from '../../../platform/list-kit/apart.ts';

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
  /** Not of projects that are archived. */
  readonly unarchived?: boolean | undefined;
  /** No merge request has two labels of one of the titles that are asked for: none is met twice by them. */
  readonly titlesTell?: boolean | undefined;
  /** One of the titles that are asked for stands for all labels of a scope. */
  readonly titleScopes?: boolean | undefined;
  readonly today: string;
}

export const requestScopeForm = form<RequestScope>()({
  values: ['project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});
export type RequestScopeAsked = BoundFilterOf<typeof requestScopeForm>;

/** The least role that reads merge requests where being able to see the project is not enough: planners, and all above. */
const leastMember = 15;

/** Whether merge requests are read in a project `p`, of the group or of all. */
function isReadable({ sees, user, now, within, group, unarchived }: RequestScopeAsked): Condition {
  const inGroup: Condition =
    within === 'group'
      ? sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${group})`
      : sql`1 = 1`;
  const level = (least: number): Condition =>
    sql`p.merge_requests_access >= ${sql.lit(least)} and p.repository_access >= ${sql.lit(least)}`;
  const member: Condition =
    user === undefined ? sql`1 = 0` : sql`(${level(10)} and p.id in (${memberProjectIds(user, leastMember, now)}))`;
  const readable: Condition =
    sees === 'all' ? level(1) : sql`((p.visibility >= ${sql.lit(Visibility[sees])} and ${level(20)}) or ${member})`;
  const alive: Condition = unarchived ? sql`p.archived = 0` : sql`1 = 1`;
  return sql`${inGroup} and ${readable} and ${alive}`;
}

const readableIn = shaped(requestScopeForm, (db, ask: RequestScopeAsked) =>
  written<{ id: number }>(
    db,
    sql`select p.id from projects p
      where ${isReadable(ask)} and exists (select 1 from merge_requests m where m.project_id = p.id)
      limit ${sql.lit(readApart + 1)}`,
  ),
);

/** A group's merge requests as those of each of its projects. */
export async function projectsApart(db: Reader, whole: RequestScope): Promise<readonly RequestScope[]> {
  const { group, unarchived, ...viewer } = whole;
  return apart<{ id: number }, RequestScope>(await readableIn.all(db, whole), whole, (found) => ({
    ...viewer,
    within: 'project',
    project: found?.id ?? 0,
  }));
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
  if (within !== 'commit') {
    return sql`exists (select 1 from projects p where p.id = merge_requests.project_id and ${isReadable(ask)})`;
  }
  return sql`merge_requests.project_id = ${project} and (merge_requests.id in (
      select c.merge_request_id from merge_request_commits c where c.sha = ${sha})
    or merge_requests.merge_commit_sha = ${sha})`;
}
