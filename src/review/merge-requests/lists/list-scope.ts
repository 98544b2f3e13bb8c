import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../access/roles.ts';
import { isArchivedProject } from '../../../access/visibility/archived.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { maxSplitScopes, splitScopes } from '../../../platform/list-kit/split-scopes.ts';

type Condition = RawBuilder<SqlBool>;

/** The scope of a merge request query and the user it is executed for. */
export interface RequestScope extends Viewer {
  readonly within: 'project' | 'group' | 'all' | 'commit';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** Only merge requests of the project that contain this commit. */
  readonly sha?: string | undefined;
  /** Only merge requests of the project that are part of this deployment. */
  readonly deployment?: number | undefined;
  /** Excludes archived projects, also those below archived groups or marked for deletion. */
  readonly unarchived?: boolean | undefined;
  /** No merge request has two labels with one of the requested titles, so joining by them yields no duplicates. */
  readonly titlesTell?: boolean | undefined;
  /** One of the requested titles stands for all labels of a scope. */
  readonly titleScopes?: boolean | undefined;
  readonly today: string;
}

export const requestScopeForm = boundProperties<RequestScope>()({
  values: ['project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});
export type RequestScopeAsked = BoundFilterOf<typeof requestScopeForm>;

/** The minimum access level for merge requests where visibility alone is not sufficient: planner. */
const minAccessLevel = 15;

/** Condition that the caller may read merge requests of project `p` within the scope. */
function isReadable({ sees, user, now, within, group, unarchived }: RequestScopeAsked): Condition {
  const inGroup: Condition =
    within === 'group'
      ? sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${group})`
      : sql`1 = 1`;
  const level = (least: number): Condition =>
    sql`p.merge_requests_access >= ${sql.lit(least)} and p.repository_access >= ${sql.lit(least)}`;
  const member: Condition =
    user === undefined ? sql`1 = 0` : sql`(${level(10)} and p.id in (${memberProjectIds(user, minAccessLevel, now)}))`;
  const readable: Condition =
    sees === 'all' ? level(1) : sql`((p.visibility >= ${sql.lit(Visibility[sees])} and ${level(20)}) or ${member})`;
  const alive: Condition = unarchived ? sql`not ${isArchivedProject('p')}` : sql`1 = 1`;
  return sql`${inGroup} and ${readable} and ${alive}`;
}

const readableIn = shapedQuery(requestScopeForm, (db, ask: RequestScopeAsked) =>
  rawQuery<{ id: number }>(
    db,
    sql`select p.id from projects p
      where ${isReadable(ask)} and exists (select 1 from merge_requests m where m.project_id = p.id)
      limit ${sql.lit(maxSplitScopes + 1)}`,
  ),
);

/** Splits a group's merge requests by project. */
export async function splitByProject(db: Reader, whole: RequestScope): Promise<readonly RequestScope[]> {
  const { group, unarchived, ...viewer } = whole;
  return splitScopes<{ id: number }, RequestScope>(await readableIn.all(db, whole), whole, (found) => ({
    ...viewer,
    within: 'project',
    project: found?.id ?? 0,
  }));
}

/** Condition that the caller may read a merge request within the scope. */
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
