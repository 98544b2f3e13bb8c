import type { AccessToken } from '../../../access/tables.ts';
import type { DeploymentRow, EnvironmentRow } from '../../../ci/environments/public.ts';
import type { FlagRow } from '../../../ci/feature-flags/public.ts';
import type { CiJobRow } from '../../../ci/jobs/public.ts';
import type { PipelineRow } from '../../../ci/pipelines/public.ts';
import type { ReleaseRow } from '../../../code/releases/public.ts';
import type { IssueRow } from '../../../planning/issues/public.ts';
import type { MilestoneRow } from '../../../planning/milestones/public.ts';
import type { NoteRow } from '../../../planning/notes/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { MergeRequestRow } from '../../../review/merge-requests/public.ts';

interface Examples {
  issues: IssueRow;
  notes: NoteRow;
  pipelines: PipelineRow;
  ci_jobs: CiJobRow;
  releases: ReleaseRow;
  merge_requests: MergeRequestRow;
  milestones: MilestoneRow;
  deployments: DeploymentRow;
  feature_flags: FlagRow;
}

/** Returns the newest row in a project; for issues, `hidden` selects confidential or public ones. */
export async function newest<T extends keyof Examples>(
  db: Reader,
  table: T,
  projectId: number,
  hidden?: boolean,
): Promise<Examples[T] | undefined> {
  let query = db
    .selectFrom(table as 'issues')
    .selectAll()
    .where('project_id', '=', projectId);
  if (table === 'issues' && hidden !== undefined) query = query.where('confidential', '=', hidden ? 1 : 0);
  if (table === 'notes') query = query.where('system' as 'id', '=', 0);
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) as Examples[T] | undefined;
}

/** Returns a project in a group or its subgroups. */
export async function projectInside(db: Reader, namespaceId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .select('p.id')
    .where('a.ancestor_id', '=', namespaceId)
    .where('p.empty_repo', '=', 0)
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export function environmentOf(db: Reader, id: number): Promise<EnvironmentRow | undefined> {
  return db.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the newest access token of a project's bots. */
export function newestTokenOf(db: Reader, projectId: number): Promise<AccessToken | undefined> {
  return db
    .selectFrom('users as u')
    .innerJoin('access_tokens as t', 't.user_id', 'u.id')
    .selectAll('t')
    .where('u.bot_project_id', '=', projectId)
    .orderBy('t.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
