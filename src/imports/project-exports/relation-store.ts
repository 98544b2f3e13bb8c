import { type SelectQueryBuilder, type Simplify, sql } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { BatchRange } from './relations/walk.ts';

/** Limits a query to a batch of rows after an ID. */
function batch<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  column: string,
  { after, limit }: Omit<BatchRange, 'of'>,
): Promise<Simplify<O>[]> {
  return query.where(sql.ref(column), '>', after).orderBy(sql.ref(column)).limit(limit).execute();
}

/** Exported records are read here in batches, whichever area they belong to. */
export function labelsAfter(db: Reader, owner: OwnerColumns, part: BatchRange) {
  return batch(
    db
      .selectFrom('labels as l')
      .leftJoin('label_priorities as p', (join) =>
        join.onRef('p.label_id', '=', 'l.id').on('p.project_id', '=', owner.project_id),
      )
      .selectAll('l')
      .select('p.priority')
      .where(belongsTo('l', owner)),
    'l.id',
    part,
  );
}

export function milestonesAfter(db: Reader, owner: OwnerColumns, part: BatchRange) {
  return batch(db.selectFrom('milestones').selectAll().where(belongsTo('milestones', owner)), 'id', part);
}

export function issuesAfter(db: Reader, part: BatchRange) {
  return batch(db.selectFrom('issues').selectAll().where('project_id', '=', part.of), 'iid', part);
}

export function requestsAfter(db: Reader, part: BatchRange) {
  return batch(db.selectFrom('merge_requests').selectAll().where('project_id', '=', part.of), 'iid', part);
}

export function releasesAfter(db: Reader, part: BatchRange) {
  return batch(db.selectFrom('releases').selectAll().where('project_id', '=', part.of), 'id', part);
}

export function releaseLinks(db: Reader, ids: readonly number[]) {
  return db.selectFrom('release_links').selectAll().where('release_id', 'in', ids).orderBy('id').execute();
}

export function uploadsAfter(db: Reader, owner: OwnerColumns, part: Omit<BatchRange, 'of'>) {
  return batch(
    db
      .selectFrom('uploads')
      .select(['id', 'secret', 'filename', 'storage_key', 'size', 'created_at'])
      .where(belongsTo('uploads', owner)),
    'id',
    part,
  );
}

export function largeFilesAfter(db: Reader, part: BatchRange) {
  return batch(
    db
      .selectFrom('lfs_objects as o')
      .innerJoin('lfs_object_projects as p', 'p.lfs_object_id', 'o.id')
      .select(['o.id', 'o.oid', 'o.size'])
      .where('p.project_id', '=', part.of),
    'o.id',
    part,
  );
}

export function protectedBranches(db: Reader, projectId: number) {
  return db.selectFrom('protected_branches').selectAll().where('project_id', '=', projectId).orderBy('id').execute();
}

export function protectedTags(db: Reader, projectId: number) {
  return db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId).orderBy('id').execute();
}

/** Roles in protection rules. Users, groups and keys are not portable, so they are not exported. */
export function grantsOf(db: Reader, column: 'branch_id' | 'tag_id', ids: readonly number[]) {
  return db
    .selectFrom('protected_ref_grants')
    .select(['id', 'branch_id', 'tag_id', 'action', 'access_level'])
    .where(column, 'in', ids)
    .where('access_level', 'is not', null)
    .orderBy('id')
    .execute();
}

export function membersOf(db: Reader, projectId: number) {
  return db
    .selectFrom('members')
    .select(['id', 'user_id', 'access_level', 'created_at'])
    .where('project_id', '=', projectId)
    .where('user_id', 'is not', null)
    .orderBy('id')
    .execute();
}

export function usersOf(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'public_email'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
}

type Noted = 'Issue' | 'MergeRequest';

export type Commented = Noted | 'Epic' | 'Snippet' | 'Commit';
export type Awarded = Commented | 'Note';

export function notesOf(db: Reader, type: Commented, ids: readonly number[]) {
  return db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_type', '=', type)
    .where('noteable_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function awardsOn(db: Reader, type: Awarded, ids: readonly number[]) {
  return db
    .selectFrom('award_emoji')
    .select(['id', 'name', 'user_id', 'awardable_id', 'created_at'])
    .where('awardable_type', '=', type)
    .where('awardable_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function labelEvents(db: Reader, type: Noted, ids: readonly number[]) {
  return db
    .selectFrom('resource_label_events as e')
    .innerJoin('labels as l', 'l.id', 'e.label_id')
    .select(['e.target_id as of', 'e.action', 'e.user_id', 'e.created_at', 'l.title', 'l.project_id'])
    .where('e.target_type', '=', type)
    .where('e.target_id', 'in', ids)
    .orderBy('e.id')
    .execute();
}

export function milestoneEvents(db: Reader, type: Noted, ids: readonly number[]) {
  return db
    .selectFrom('resource_milestone_events as e')
    .innerJoin('milestones as m', 'm.id', 'e.milestone_id')
    .select(['e.target_id as of', 'e.action', 'e.state', 'e.user_id', 'e.created_at'])
    .select(['m.iid', 'm.title', 'm.project_id', 'm.namespace_id'])
    .where('e.target_type', '=', type)
    .where('e.target_id', 'in', ids)
    .orderBy('e.id')
    .execute();
}

export function stateEvents(db: Reader, type: Noted, ids: readonly number[]) {
  return db
    .selectFrom('resource_state_events')
    .select(['target_id as of', 'state', 'user_id', 'created_at', 'source_commit'])
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function weightEvents(db: Reader, type: Noted, ids: readonly number[]) {
  return db
    .selectFrom('resource_weight_events')
    .select(['target_id as of', 'weight', 'user_id', 'created_at'])
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function timelogsOf(db: Reader, type: Noted, ids: readonly number[]) {
  return db
    .selectFrom('timelogs')
    .select(['id', 'target_id', 'user_id', 'seconds', 'summary', 'spent_at', 'created_at'])
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function issueLabels(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('issue_labels as k')
    .innerJoin('labels as l', 'l.id', 'k.label_id')
    .select(['k.issue_id as of', 'l.id', 'l.title', 'l.color', 'l.description', 'l.project_id'])
    .where('k.issue_id', 'in', ids)
    .orderBy('l.id')
    .execute();
}

export function requestLabels(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('merge_request_labels as k')
    .innerJoin('labels as l', 'l.id', 'k.label_id')
    .select(['k.merge_request_id as of', 'l.id', 'l.title', 'l.color', 'l.description', 'l.project_id'])
    .where('k.merge_request_id', 'in', ids)
    .orderBy('l.id')
    .execute();
}

export function issueAssignees(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('issue_assignees')
    .select(['issue_id as of', 'user_id'])
    .where('issue_id', 'in', ids)
    .orderBy('user_id')
    .execute();
}

/** Epics of issues: non-confidential epics of ancestor groups, where they are matched on import. */
export function issueEpics(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('epic_issues as k')
    .innerJoin('epics as e', 'e.id', 'k.epic_id')
    .innerJoin('issues as i', 'i.id', 'k.issue_id')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespace_ancestors as a', (join) =>
      join.onRef('a.namespace_id', '=', 'p.namespace_id').onRef('a.ancestor_id', '=', 'e.namespace_id'),
    )
    .where('e.confidential', '=', 0)
    .select(['k.issue_id as of', 'k.relative_position', 'e.iid', 'e.title', 'e.namespace_id as group_id'])
    .where('k.issue_id', 'in', ids)
    .execute();
}

export function requestAssignees(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('merge_request_assignees')
    .select(['merge_request_id as of', 'user_id'])
    .where('merge_request_id', 'in', ids)
    .orderBy('user_id')
    .execute();
}

export function requestReviewers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('merge_request_reviewers')
    .select(['merge_request_id as of', 'user_id', 'state', 'created_at'])
    .where('merge_request_id', 'in', ids)
    .orderBy('user_id')
    .execute();
}

export function requestApprovals(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('merge_request_approvals')
    .select(['merge_request_id as of', 'user_id', 'created_at'])
    .where('merge_request_id', 'in', ids)
    .orderBy('user_id')
    .execute();
}

export function milestonesNumbered(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('milestones')
    .select(['id', 'iid', 'title', 'project_id', 'namespace_id'])
    .where('id', 'in', ids)
    .execute();
}

export function issueLinksAfter(db: Reader, part: BatchRange) {
  return batch(
    db
      .selectFrom('issue_links as k')
      .innerJoin('issues as s', 's.id', 'k.source_id')
      .innerJoin('issues as t', 't.id', 'k.target_id')
      .select(['k.id', 's.iid as source_iid', 't.iid as target_iid', 'k.link_type', 'k.created_at'])
      .where('s.project_id', '=', part.of)
      .where('t.project_id', '=', part.of),
    'k.id',
    part,
  );
}

/** Issue boards; epic boards are not supported by other servers. */
export function boardsOf(db: Reader, owner: OwnerColumns) {
  return db
    .selectFrom('boards')
    .selectAll()
    .where(belongsTo('boards', owner))
    .where('kind', '=', 'issues')
    .orderBy('id')
    .execute();
}

export function boardLists(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('board_lists as b')
    .leftJoin('labels as l', 'l.id', 'b.label_id')
    .selectAll('b')
    .select('l.title')
    .where('b.board_id', 'in', ids)
    .orderBy('b.position')
    .orderBy('b.id')
    .execute();
}

export function boardLabels(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('board_labels as k')
    .innerJoin('labels as l', 'l.id', 'k.label_id')
    .select(['k.board_id as of', 'l.title'])
    .where('k.board_id', 'in', ids)
    .orderBy('l.id')
    .execute();
}

/** Versions of merge requests, oldest first. */
export function requestVersions(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('merge_request_versions')
    .select([
      'merge_request_id as of',
      'head_sha as head_commit_sha',
      'base_sha as base_commit_sha',
      'start_sha as start_commit_sha',
      'created_at',
    ])
    .where('merge_request_id', 'in', ids)
    .orderBy('id')
    .execute();
}

export function releaseMilestones(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('milestone_releases as k')
    .innerJoin('milestones as m', 'm.id', 'k.milestone_id')
    .select(['k.release_id as of', 'm.id', 'm.iid', 'm.title', 'm.project_id', 'm.namespace_id'])
    .where('k.release_id', 'in', ids)
    .orderBy('m.id')
    .execute();
}

export function snippetsAfter(db: Reader, part: BatchRange) {
  return batch(db.selectFrom('snippets').selectAll().where('project_id', '=', part.of), 'id', part);
}

export function notedCommitsAfter(db: Reader, part: BatchRange) {
  return batch(db.selectFrom('noted_commits').select('id').where('project_id', '=', part.of), 'id', part);
}

export function pipelinesAfter(db: Reader, part: BatchRange) {
  return batch(
    db
      .selectFrom('pipelines')
      .select([
        'id',
        'iid',
        'sha',
        'ref',
        'tag',
        'before_sha',
        'source',
        'status',
        'name',
        'failure_reason',
        'protected',
      ])
      .select(['coverage', 'duration', 'queued_duration', 'user_id'])
      .select(['created_at', 'updated_at', 'started_at', 'finished_at', 'committed_at'])
      .where('project_id', '=', part.of),
    'iid',
    part,
  );
}

export function jobsOfPipeline(db: Reader, pipelineId: number) {
  return db
    .selectFrom('ci_jobs')
    .select(['kind', 'name', 'stage', 'stage_index', 'status', 'failure_reason', 'ref', 'tag', 'protected'])
    .select(['starts', 'allow_failure', 'tag_list', 'coverage', 'retried', 'user_id'])
    .select(['created_at', 'updated_at', 'queued_at', 'started_at', 'finished_at', 'erased_at'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('id')
    .execute();
}

export function statusesOfPipeline(db: Reader, pipelineId: number) {
  return db
    .selectFrom('commit_statuses')
    .select(['name', 'stage', 'status', 'ref', 'target_url', 'description', 'coverage', 'user_id'])
    .select(['allow_failure', 'retried', 'created_at', 'started_at', 'finished_at'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('id')
    .execute();
}
