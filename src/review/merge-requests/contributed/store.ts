import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { MergeRequestRow } from '../tables.ts';

const used = statement((db, param: Param<{ project: number }>) =>
  db
    .selectFrom('merge_requests')
    .select(['source_branch', 'target_branch', 'source_project_id', 'project_id'])
    .where('state', 'in', ['opened', 'locked'])
    .where((eb) => eb.or([eb('project_id', '=', param('project')), eb('source_project_id', '=', param('project'))])),
);

/** Source and target branches of open merge requests in a project. */
export async function branchesInUse(db: Reader, project: number): Promise<ReadonlySet<string>> {
  const rows = await used.all(db, { project });
  return new Set(
    rows.flatMap((row) => [
      ...(row.project_id === project ? [row.target_branch] : []),
      ...(row.source_project_id === project ? [row.source_branch] : []),
    ]),
  );
}

/** The merge request that was merged by this commit. */
export function mergedWith(db: Reader, project: number, mergeCommit: string) {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', project)
    .where('merge_commit_sha', '=', mergeCommit)
    .where('state', '=', 'merged')
    .executeTakeFirst();
}

const queryBatchSize = 500;

/** The merged merge request that contains each of these commits. */
export async function mergedRequestsOf(db: Reader, project: number, shas: readonly string[]) {
  const found = new Map<string, { iid: number }>();
  for (let at = 0; at < shas.length; at += queryBatchSize) {
    const some = shas.slice(at, at + queryBatchSize);
    const commits = await db
      .selectFrom('merge_request_commits as c')
      .innerJoin('merge_requests as m', 'm.id', 'c.merge_request_id')
      .select(['c.sha', 'm.iid'])
      .where('m.project_id', '=', project)
      .where('m.state', '=', 'merged')
      .where('c.sha', 'in', some)
      .orderBy('m.id', 'desc')
      .execute();
    const merges = await db
      .selectFrom('merge_requests as m')
      .select(['m.merge_commit_sha', 'm.squash_commit_sha', 'm.iid'])
      .where('m.project_id', '=', project)
      .where('m.state', '=', 'merged')
      .where((eb) => eb.or([eb('m.merge_commit_sha', 'in', some), eb('m.squash_commit_sha', 'in', some)]))
      .execute();
    for (const { sha, iid } of commits) found.set(sha, { iid });
    for (const { merge_commit_sha, squash_commit_sha, iid } of merges) {
      for (const sha of [merge_commit_sha, squash_commit_sha]) if (sha !== null) found.set(sha, { iid });
    }
  }
  return found;
}

/** Filters users to authors of merge requests that were merged into a branch. */
export async function mergedAuthors(
  db: Reader,
  project: number,
  branch: string,
  users: readonly number[],
): Promise<ReadonlySet<number>> {
  if (users.length === 0) return new Set();
  const rows = await db
    .selectFrom('merge_requests')
    .select('author_id')
    .distinct()
    .where('author_id', 'in', [...users])
    .where('project_id', '=', project)
    .where('target_branch', '=', branch)
    .where('state', '=', 'merged')
    .execute();
  return new Set(rows.map(({ author_id }) => author_id));
}

const closing = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('merge_request_closed_issues')
    .select(['issue_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('issue_id', 'in', param.ids('ids'))
    .groupBy('issue_id'),
);

/** Number of merge requests that close each of these issues. */
export async function countClosing(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = ids.length === 0 ? [] : await closing.all(db, { ids });
  return new Map(rows.map(({ issue_id, count }) => [issue_id, Number(count)]));
}

/** Filters users to direct and inherited members of a project. */
export async function membersAmong(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
  users: readonly number[],
): Promise<ReadonlySet<number>> {
  if (users.length === 0) return new Set();
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .distinct()
    .where('user_id', 'in', [...users])
    .where(
      sql<SqlBool>`(project_id = ${project.id} or namespace_id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id}))`,
    )
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

const shared = statement((db, param: Param<{ source: number }>) =>
  db
    .selectFrom('merge_requests')
    .select(['project_id', 'target_branch', 'source_branch'])
    .where('source_project_id', '=', param('source'))
    .where('state', '=', 'opened')
    .where('allow_collaboration', '=', 1)
    .orderBy('id', 'desc')
    .limit(1000),
);

/** Open merge requests from a fork that allow collaboration. */
export function sharedWithTargets(
  db: Reader,
  source: number,
): Promise<Pick<MergeRequestRow, 'project_id' | 'target_branch' | 'source_branch'>[]> {
  return shared.all(db, { source });
}
