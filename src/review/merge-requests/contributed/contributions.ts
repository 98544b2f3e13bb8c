import { isProject } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import type { MergeRequestLookup } from '../../../code/changelog/public.ts';
import type { MergedRequestFinder, MergeRequestFinder } from '../../../code/commits/public.ts';
import type { OpenMergeRequest } from '../../../code/pushes/public.ts';
import { defaultBranch, projectUrl } from '../../../code/repository/public.ts';
import type { IssueAddition } from '../../../planning/issues/public.ts';
import type { LabelCounter } from '../../../planning/labels/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { commitTitle } from '../../../platform/git/objects/commit.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { recordNotes } from '../changes/records.ts';
import { commitsOf } from '../closing/service.ts';
import { requestScope } from '../lists/browse.ts';
import { requestList } from '../lists/list.ts';
import { presentRequests } from '../present.ts';
import { openFrom, projectPathsOf, requestById } from '../store.ts';
import { picked } from '../system-texts.ts';
import { countLabelled } from './label-counts-store.ts';
import * as store from './store.ts';

const states = ['opened', 'closed', 'locked', 'merged'] as const;

/** Merge requests that contain a commit. */
export const requestsOfCommit: MergeRequestFinder = async (services, { caller, subject }, { sha, state }, page) => {
  const viewer = viewerOf(caller);
  const today = instant(viewer.now).slice(0, 10);
  const scope = { ...viewer, within: 'commit' as const, project: subject.project.id, sha, today };
  const only = states.find((word) => word === state);
  const order = { by: 'created_at', direction: 'desc' } as const;
  const filters = only === undefined ? {} : { state: only };
  const { rows, total } = await requestList.page(services.db.read, scope, filters, order, page);
  const view = { within: { projectId: subject.project.id } };
  return new Page<unknown>(await presentRequests(services, caller, rows, view), total);
};

/** The merge request merged by a commit, for the messages of reverts and cherry-picks. */
export const requestMergedBy: MergedRequestFinder = async (services, { subject }, mergeCommit) => {
  if (!subject.can('read_merge_request')) return undefined;
  const request = await store.mergedWith(services.db.read, subject.project.id, mergeCommit);
  if (!request) return undefined;
  const commits = await commitsOf(services, request);
  return {
    id: request.id,
    iid: request.iid,
    commits: commits.map(({ oid, message }) => ({ id: oid, title: commitTitle(message) })),
  };
};

/** Adds a system note about a cherry-pick to the merge request. */
export async function noteCherryPick(
  _services: Services,
  trx: Writer,
  { requestId, actorId, branch, address, sha }: DomainEvents['merge-request.picked'],
): Promise<void> {
  const request = await requestById(trx, requestId);
  if (request) await recordNotes(trx, request, actorId, [picked(branch, address, sha)]);
}

/** Filters branches to those used by open merge requests, which must not be deleted as merged or stale. */
export async function usedBranches(
  { db }: Services,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const used = await store.branchesInUse(db.read, projectId);
  return new Set(branches.filter((name) => used.has(name)));
}

/** Merge requests of commits, for changelogs. */
export const changelogLookup: MergeRequestLookup = {
  async brought(services, subject, oids) {
    const found = await store.mergedRequestsOf(services.db.read, subject.project.id, oids);
    const url = projectUrl(services, subject);
    return new Map(
      [...found].map(([oid, { iid }]) => [
        oid,
        { reference: `${subject.fullPath}!${iid}`, web_url: `${url}/-/merge_requests/${iid}` },
      ]),
    );
  },
  async contributors({ db }, subject, users) {
    const authors = await store.mergedAuthors(db.read, subject.project.id, defaultBranch(subject), users);
    const members = await store.membersAmong(db.read, subject.project, [...authors]);
    return new Set([...authors].filter((id) => !members.has(id)));
  },
};

/** URL of the open merge request of a branch, shown to the user who pushes to it. */
export const openRequestUrl: OpenMergeRequest = async ({ db, externalUrl }, projectId, branch) => {
  const [open] = await openFrom(db.read, projectId, branch);
  if (!open) return undefined;
  const place = (await projectPathsOf(db.read, [open.project_id])).get(open.project_id);
  return place && `${externalUrl}/${place.path}/-/merge_requests/${open.iid}`;
};

export const countLabelledRequests: LabelCounter = async ({ db }, caller, place, ids) => {
  if (isProject(place) && !place.can('read_merge_request')) return new Map();
  const counts = await countLabelled(db.read, requestScope(caller, place), ids);
  return new Map([...counts].map(([id, open_merge_requests_count]) => [id, { open_merge_requests_count }]));
};

export const requestsClosing: IssueAddition = async ({ db }, issues) => {
  const counts = await store.countClosing(
    db.read,
    issues.map(({ id }) => id),
  );
  return new Map([...counts].map(([id, merge_requests_count]) => [id, { merge_requests_count }]));
};
