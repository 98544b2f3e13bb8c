import { importedRequests, reviewStates } from '../../../review/merge-requests/public.ts';
import { ensureBranch, importMergeRequest } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import {
  allOf,
  amountOf,
  enumOf,
  type Fields,
  fieldsOf,
  flagOf,
  listOf,
  numberOf,
  shaOf,
  textOf,
  timeOf,
  timeOrNull,
} from '../fields.ts';
import { type ArchiveContext, contextOf } from './context.ts';
import { importIssuableData, issuableAttributes, peopleOf, spentOn } from './planning.ts';

export async function importRequests(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  await context.every('merge_requests', (request, line) => importOne(context, request, line));
}

async function importOne(context: ArchiveContext, request: Fields, line: number): Promise<void> {
  const { run, personOrNull } = context;
  const number = numberOf(request.iid);
  const [sourceBranch, targetBranch] = [textOf(request.source_branch), textOf(request.target_branch)];
  if (number === null || !sourceBranch || !targetBranch) {
    return run.fail('merge_request', `line ${line}`, new Error('it has no number or no branches'));
  }
  if (await run.isHere('pull_request', number)) return;
  const diff = fieldsOf(request.merge_request_diff);
  const metrics = fieldsOf(request.metrics);
  const headSha = shaOf(diff.head_commit_sha) ?? shaOf(request.diff_head_sha) ?? shaOf(request.source_branch_sha);
  const state =
    enumOf(request.state, ['opened', 'closed', 'merged']) ?? (request.state === 'locked' ? 'opened' : 'closed');
  // Merge requests from forks or deleted branches keep their commits under a separate branch name.
  const own = request.source_project_id == null || request.source_project_id === request.target_project_id;
  const branch = own ? sourceBranch : `fork/${number}/${sourceBranch}`;
  if (state === 'opened' && headSha !== null) await ensureBranch(run, branch, headSha);
  await importMergeRequest(run, {
    ...(await issuableAttributes(context, request, number)),
    assigneeIds: await peopleOf(context, request.merge_request_assignees),
    state,
    draft: request.draft === true,
    sourceBranch: branch,
    targetBranch,
    headSha,
    startSha: shaOf(diff.start_commit_sha) ?? shaOf(diff.base_commit_sha) ?? shaOf(request.target_branch_sha),
    earlier: earlierVersions(request, headSha),
    mergeCommitSha: shaOf(request.merge_commit_sha),
    mergedAt: state === 'merged' ? timeOf(metrics.merged_at ?? request.updated_at) : null,
    mergeUserId: state === 'merged' ? await personOrNull(metrics.merged_by_id ?? request.merge_user_id) : null,
    closedAt: state === 'closed' ? (timeOrNull(metrics.latest_closed_at) ?? timeOf(request.updated_at)) : null,
    closedById: state === 'closed' ? await personOrNull(metrics.latest_closed_by_id) : null,
    details: {
      discussion_locked: typeof request.discussion_locked === 'boolean' ? Number(request.discussion_locked) : null,
      squash: flagOf(request.squash) ? 1 : 0,
      squash_commit_sha: shaOf(request.squash_commit_sha),
      force_remove_source_branch: removesSource(request),
      time_estimate: amountOf(request.time_estimate),
      total_time_spent: spentOn(request),
    },
  });
  const id = await run.targetOf('pull_request', number);
  if (id === undefined) return;
  await importReviews(context, request, id, number);
  await importIssuableData(context, request, { type: 'MergeRequest', id }, `merge request ${number}`);
}

/** GitLab stores the choice among the options of the merge, as a text. */
function removesSource({ merge_params }: Fields): number | null {
  const { force_remove_source_branch: chosen } = fieldsOf(merge_params);
  if (chosen === undefined || chosen === null) return null;
  return chosen === true || chosen === '1' || chosen === 'true' ? 1 : 0;
}

const maxVersions = 100;

/** Earlier versions of the diff that the archive contains. */
function earlierVersions(request: Fields, newest: string | null) {
  const versions = allOf(request.merge_request_diffs)
    .slice(-maxVersions)
    .flatMap((version) => {
      const [head, start] = [shaOf(version.head_commit_sha), shaOf(version.start_commit_sha)];
      return head && start ? [{ head, start, at: timeOf(version.created_at) }] : [];
    });
  return versions.at(-1)?.head === newest ? versions.slice(0, -1) : versions;
}

async function importReviews(context: ArchiveContext, request: Fields, id: number, number: number): Promise<void> {
  const { run, person } = context;
  const reviewers = await Promise.all(
    listOf(request.merge_request_reviewers).map(async ({ user_id, state, created_at }) => ({
      userId: await person(user_id),
      state: enumOf(state, reviewStates) ?? 'unreviewed',
      at: timeOf(created_at),
    })),
  );
  const approvals = await Promise.all(
    listOf(request.approvals).map(async ({ user_id, created_at }) => ({
      userId: await person(user_id),
      at: timeOf(created_at),
    })),
  );
  await run.once('reviews', number, async (trx) => {
    for (const { userId, state, at } of reviewers) {
      await importedRequests.addImportedReviewer(trx, id, userId, { state, at });
    }
    for (const { userId, at } of approvals) await importedRequests.addImportedApproval(trx, id, userId, at);
    return null;
  });
}
