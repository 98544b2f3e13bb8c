import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { basicUsers } from '../../people/users/public.ts';
import { presentLabels } from '../../planning/issues/public.ts';
import { labelsOfEach } from '../../planning/labels/public.ts';
import { renderTexts } from '../../planning/markdown/public.ts';
import { milestonesById, presentMilestone } from '../../planning/milestones/public.ts';
import { taskCompletionStatus } from '../../planning/task-list.ts';
import { presentTimeStats } from '../../planning/time-tracking/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { collaborativeAmong } from './collaborative.ts';
import { mergeabilities } from './mergeability/facts.ts';
import { detailedMergeStatus, shownMergeStatus } from './mergeability/status.ts';
import type { BasicEntity, SimpleEntity } from './schema.ts';
import { squashes } from './settings.ts';
import { assigneeIds, labelIds, projectPathsOf, reviewers } from './store.ts';
import type { MergeRequestRow } from './tables.ts';

/** Options for presenting merge requests. */
export interface RequestView {
  /**
   * The requested project or group; null for the list of all merge requests. Relative references are relative to it.
   */
  readonly within: { readonly projectId: number } | { readonly groupPath: string } | null;
  readonly labelsInDetail?: boolean;
  /** Includes rendered titles and descriptions, in the context of this project if there is one. */
  readonly html?: { readonly subject: ProjectSubject | undefined } | undefined;
}

/** Loads everything a page of merge requests refers to, in a fixed number of queries. */
async function related(services: Services, rows: readonly MergeRequestRow[]) {
  const { read } = services.db;
  const ids = rows.map(({ id }) => id);
  const [assignees, reviewing, labelled, milestones, places, facts, collaborative] = await Promise.all([
    assigneeIds(read, ids),
    reviewers(read, ids),
    labelIds(read, ids),
    milestonesById(
      read,
      rows.map(({ milestone_id }) => milestone_id),
    ),
    projectPathsOf(
      read,
      rows.map(({ project_id }) => project_id),
    ),
    mergeabilities(services, rows),
    collaborativeAmong(read, rows),
  ]);
  const people = [
    ...rows.flatMap((row) => [row.author_id, row.closed_by_id, row.merge_user_id]),
    ...[...assignees.values()].flat(),
    ...[...reviewing.values()].flat().map(({ user_id }) => user_id),
  ];
  const [users, labels] = await Promise.all([
    basicUsers(read, people, services.externalUrl),
    labelsOfEach(read, labelled),
  ]);
  return { assignees, reviewing, labels, milestones, places, facts, collaborative, users };
}

const flag = (value: number | null) => (value === null ? null : value === 1);

function relativeReference({ iid, project_id }: MergeRequestRow, path: string, { within }: RequestView): string {
  if (within === null) return `${path}!${iid}`;
  if ('projectId' in within) return within.projectId === project_id ? `!${iid}` : `${path}!${iid}`;
  const [name = ''] = path.split('/').slice(-1);
  return path === `${within.groupPath}/${name}` ? `${name}!${iid}` : `${path}!${iid}`;
}

/** Presents the fields of `view=simple`. */
export async function presentSimple(services: Services, rows: readonly MergeRequestRow[]): Promise<SimpleEntity[]> {
  const places = await projectPathsOf(
    services.db.read,
    rows.map(({ project_id }) => project_id),
  );
  return rows.map((row) => simple(services, row, places.get(row.project_id)?.path ?? ''));
}

function simple({ externalUrl }: Services, row: MergeRequestRow, path: string): SimpleEntity {
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    web_url: `${externalUrl}/${path}/-/merge_requests/${row.iid}`,
  };
}

/** Presents a page of merge requests. */
export async function presentRequests(
  services: Services,
  actor: Actor,
  rows: readonly MergeRequestRow[],
  view: RequestView,
): Promise<BasicEntity[]> {
  if (rows.length === 0) return [];
  const found = await related(services, rows);
  const html = view.html ? await htmlOf(services, actor, rows, view.html.subject) : undefined;
  return rows.map((row): BasicEntity => {
    const { users } = found;
    const userOf = (id: number | null) => (id !== null && users.get(id)) || null;
    const author = users.get(row.author_id);
    const seen = found.facts.get(row.id);
    if (!author || !seen) throw new Error(`the author of merge request ${row.id} is missing`);
    const assigned = (found.assignees.get(row.id) ?? []).flatMap((id) => users.get(id) ?? []);
    const milestone = row.milestone_id === null ? undefined : found.milestones.get(row.milestone_id);
    const path = found.places.get(row.project_id)?.path ?? '';
    const mergeUser = userOf(row.merge_user_id);
    return {
      ...simple(services, row, path),
      merged_by: row.state === 'merged' ? mergeUser : null,
      merge_user: mergeUser,
      merged_at: instantOrNull(row.merged_at),
      closed_by: userOf(row.closed_by_id),
      closed_at: instantOrNull(row.closed_at),
      ...html?.get(row.id),
      target_branch: row.target_branch,
      source_branch: row.source_branch,
      user_notes_count: row.user_notes_count,
      upvotes: row.upvotes,
      downvotes: row.downvotes,
      author,
      assignees: assigned,
      assignee: assigned[0] ?? null,
      reviewers: (found.reviewing.get(row.id) ?? []).flatMap(({ user_id }) => users.get(user_id) ?? []),
      source_project_id: row.source_project_id,
      target_project_id: row.project_id,
      labels: presentLabels(found.labels.get(row.id) ?? [], view.labelsInDetail === true),
      draft: row.draft === 1,
      imported: row.imported_from !== 'none',
      imported_from: row.imported_from,
      work_in_progress: row.draft === 1,
      milestone: milestone ? presentMilestone(milestone, services.externalUrl) : null,
      merge_when_pipeline_succeeds: row.auto_merge !== 0,
      merge_status: shownMergeStatus(row.merge_status),
      detailed_merge_status: detailedMergeStatus(seen.facts),
      merge_after: instantOrNull(row.merge_after),
      sha: row.head_sha,
      merge_commit_sha: row.merge_commit_sha,
      squash_commit_sha: row.squash_commit_sha,
      discussion_locked: flag(row.discussion_locked),
      should_remove_source_branch: flag(row.should_remove_source_branch),
      force_remove_source_branch: flag(row.force_remove_source_branch),
      prepared_at: instantOrNull(row.prepared_at),
      allow_collaboration: found.collaborative.has(row.id),
      allow_maintainer_to_push: found.collaborative.has(row.id),
      reference: `!${row.iid}`,
      references: {
        short: `!${row.iid}`,
        relative: relativeReference(row, path, view),
        full: `${path}!${row.iid}`,
      },
      time_stats: presentTimeStats(services, row),
      squash: row.squash === 1,
      squash_on_merge: squashes(seen.settings, row),
      task_completion_status: taskCompletionStatus(row.description),
      has_conflicts: row.merge_status === 'cannot_be_merged',
      blocking_discussions_resolved: !seen.facts.openThreads,
      approvals_before_merge: row.approvals_before_merge,
    };
  });
}

async function htmlOf(
  services: Services,
  actor: Actor,
  rows: readonly MergeRequestRow[],
  subject: ProjectSubject | undefined,
) {
  const texts = rows.flatMap(({ title, description }) => [
    { text: title, line: true },
    { text: description ?? '', line: false },
  ]);
  const html = await renderTexts(services, actor, subject, texts);
  return new Map(
    rows.map(({ id }, index) => [
      id,
      { title_html: html[2 * index] ?? '', description_html: html[2 * index + 1] ?? '' },
    ]),
  );
}
