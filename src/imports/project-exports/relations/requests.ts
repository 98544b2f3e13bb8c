import type { Services } from '../../../access/services.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import * as rows from '../relation-store.ts';
import { issuableData } from './belongings.ts';
import { type BatchRange, groupByParent, iterateRows, type Line } from './walk.ts';

export async function* mergeRequests({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.requestsAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ iid }) => iid)) {
    const ids = part.map(({ id }) => id);
    const [rest, assignees, reviewers, approvals, versions] = await Promise.all([
      issuableData(db, 'MergeRequest', part),
      rows.requestAssignees(db, ids),
      rows.requestReviewers(db, ids),
      rows.requestApprovals(db, ids),
      rows.requestVersions(db, ids),
    ]);
    const [assigned, reviewing, approved, made] = [
      groupByParent(assignees, ({ of }) => of),
      groupByParent(reviewers, ({ of }) => of),
      groupByParent(approvals, ({ of }) => of),
      groupByParent(versions, ({ of }) => of),
    ];
    for (const row of part) {
      yield {
        id: row.id,
        iid: row.iid,
        title: row.title,
        description: row.description,
        draft: row.draft === 1,
        state: row.state,
        source_branch: row.source_branch,
        target_branch: row.target_branch,
        source_project_id: row.source_project_id,
        target_project_id: row.project_id,
        author_id: row.author_id,
        merge_user_id: row.merge_user_id,
        merge_commit_sha: row.merge_commit_sha,
        squash_commit_sha: row.squash_commit_sha,
        squash: row.squash === 1,
        merge_params:
          row.force_remove_source_branch === null
            ? {}
            : { force_remove_source_branch: row.force_remove_source_branch === 1 },
        time_estimate: row.time_estimate,
        discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        diff_head_sha: row.head_sha,
        merge_request_diff: {
          state: 'collected',
          head_commit_sha: row.head_sha,
          base_commit_sha: row.base_sha,
          start_commit_sha: row.start_sha,
        },
        // All versions, latest last; other servers import only the one above.
        merge_request_diffs: made(row.id).map(({ of: _, created_at, ...version }) => ({
          ...version,
          created_at: instant(created_at),
        })),
        metrics: {
          merged_at: instantOrNull(row.merged_at),
          merged_by_id: row.state === 'merged' ? row.merge_user_id : null,
          latest_closed_at: instantOrNull(row.closed_at),
          latest_closed_by_id: row.closed_by_id,
        },
        merge_request_assignees: assigned(row.id).map(({ user_id }) => ({ user_id })),
        merge_request_reviewers: reviewing(row.id).map(({ user_id, state, created_at }) => ({
          user_id,
          state,
          created_at: instant(created_at),
        })),
        approvals: approved(row.id).map(({ user_id, created_at }) => ({ user_id, created_at: instant(created_at) })),
        ...rest(row),
      };
    }
  }
}
