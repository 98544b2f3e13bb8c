import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import { defaultBranch } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { milestonesNamed } from '../../../planning/milestones/public.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { openRequest } from '../changes/create.ts';
import { asDraft } from '../changes/draft.ts';
import { changeRequest } from '../changes/update.ts';
import { mayMerge } from '../detail.ts';
import { setAutoMerge } from '../merge/auto-merge.ts';
import { stateOf } from '../service.ts';
import { openFrom, requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { refreshRequest } from '../versions/refresh.ts';
import { textsOfNew } from './first-texts.ts';
import { type RequestOptions, readRequestOptions } from './read.ts';
import { userIdsNamed } from './store.ts';
import { denied, OptionRefused, requestedTarget } from './target.ts';

/** Push options for one of the pushed branches. */
export interface PushOptionsJob {
  readonly projectId: number;
  readonly userId: number;
  readonly branch: string;
  /** The pushed tip; absent in jobs enqueued by earlier versions. */
  readonly tip?: string;
  readonly options: readonly string[];
}

/** Creates or updates the merge request of a push; returns the reason if that fails. */
export async function executeOptions(services: Services, job: PushOptionsJob): Promise<string | undefined> {
  const { read } = services.db;
  const asked = readRequestOptions(job.options);
  const [user, project] = await Promise.all([findUser(read, job.userId), findProject(read, job.projectId)]);
  if (!asked || !user || !project || accountRefusal(user, services.externalUrl) !== undefined) return undefined;
  const caller = actorOnBehalfOf(user);
  const source = await projectSubject(read, caller, project);
  // The default branch is a target, not a source.
  if (job.branch === defaultBranch(source) && asked.target === undefined) return undefined;
  try {
    await openOrChange(services, caller, source, job, asked);
    return undefined;
  } catch (error) {
    if (error instanceof OptionRefused) return error.message;
    if (error instanceof HttpError) return reasonOf(error);
    throw error;
  }
}

/** The error messages of a response, without field names. */
function reasonOf({ body, message }: HttpError): string {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  return texts(body).join(', ') || message;
}

async function openOrChange(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  job: PushOptionsJob,
  asked: RequestOptions,
): Promise<void> {
  const target = await requestedTarget(services, caller, source, asked);
  const into = asked.target ?? defaultBranch(target);
  const changes = await commonChanges(services, target, asked);
  const open = (await openFrom(services.db.read, source.project.id, job.branch)).filter(
    ({ project_id }) => project_id === target.project.id,
  );
  const found = open.find(({ target_branch }) => target_branch === into) ?? (asked.create ? undefined : open[0]);
  const request = found
    ? await change(services, caller, target, found, asked, changes)
    : await openOne(services, caller, { source, target, into }, job, asked, changes);
  if (asked.autoMerge) await enableAutoMerge(services, caller, target, request.id, job.tip);
}

type Changes = Awaited<ReturnType<typeof commonChanges>>;

/** Changes that apply to both new and existing merge requests. */
async function commonChanges(services: Services, target: ProjectSubject, asked: RequestOptions) {
  return {
    ...(asked.description !== undefined && { description: asked.description }),
    ...(asked.labels.length > 0 && { add_labels: [...asked.labels] }),
    ...(asked.unlabels.length > 0 && { remove_labels: [...asked.unlabels] }),
    ...(await requestedMilestone(services, target, asked.milestone)),
    ...(asked.removeSource !== undefined && { remove_source_branch: asked.removeSource }),
    ...(asked.squash !== undefined && { squash: asked.squash }),
  };
}

const titled = (title: string, { draft }: RequestOptions) => (draft ? asDraft(title) : title);

async function change(
  services: Services,
  caller: SignedInActor,
  target: ProjectSubject,
  found: MergeRequestRow,
  asked: RequestOptions,
  changes: Changes,
): Promise<MergeRequestRow> {
  const title = asked.title ?? (asked.draft ? found.title : undefined);
  const params = {
    ...changes,
    ...(title !== undefined && { title: titled(title, asked) }),
    ...(asked.target !== undefined && { target_branch: asked.target }),
    ...(await requestedAssigneesOf(services, asked, (await stateOf(services.db.read, found)).assigneeIds)),
  };
  if (Object.keys(params).length > 0) await changeRequest(services, caller, target, found, params);
  return found;
}

async function openOne(
  services: Services,
  caller: SignedInActor,
  { source, target, into }: { readonly source: ProjectSubject; readonly target: ProjectSubject; readonly into: string },
  job: PushOptionsJob,
  asked: RequestOptions,
  changes: Changes,
): Promise<MergeRequestRow> {
  if (!asked.create) {
    throw new OptionRefused(
      `A merge_request.create push option is required to create a merge request for branch ${job.branch}`,
    );
  }
  if (!source.can('push_code')) throw denied();
  const { merge_requests_template: template } = settingsOf(target.project);
  // A merge request created by a push is assigned to the user who pushed, unless assignees are given.
  const assigned = (await requestedAssigneesOf(services, asked, [])) ?? { assignee_ids: [caller.user.id] };
  const branches = { source_project_id: source.project.id, source_branch: job.branch, target_branch: into };
  const described = asked.description ?? (typeof template === 'string' && template !== '' ? template : undefined);
  const texts = await textsOfNew(services, caller, target, { ...branches, project_id: target.project.id }, described);
  const { state } = await openRequest(services, caller, source, {
    remove_source_branch: settingsOf(source.project).remove_source_branch_after_merge !== false,
    ...changes,
    ...assigned,
    title: titled(asked.title ?? texts.title, asked).slice(0, 255),
    description: texts.description,
    source_branch: job.branch,
    target_branch: into,
    target_project_id: target.project.id,
  });
  return state.request;
}

/** The resulting assignees, if the push options change them. */
async function requestedAssigneesOf(
  { db }: Services,
  { assignees, unassigned }: RequestOptions,
  now: readonly number[],
): Promise<{ assignee_ids: number[] } | undefined> {
  if (assignees.length + unassigned.length === 0) return undefined;
  const [added, removedIds] = [await userIdsNamed(db.read, assignees), await userIdsNamed(db.read, unassigned)];
  return { assignee_ids: [...new Set([...now, ...added])].filter((id) => !removedIds.includes(id)) };
}

/** A milestone that does not exist is ignored. */
async function requestedMilestone(
  { db }: Services,
  { project, namespace }: ProjectSubject,
  name: string | undefined,
): Promise<{ milestone_id: number } | undefined> {
  if (name === undefined) return undefined;
  const above = namespace.kind === 'group' ? await selfAndAncestorIds(db.read, namespace.id) : [];
  const found = (await milestonesNamed(db.read, project.id, above, [name])).get(name);
  return found && { milestone_id: found.id };
}

/**
 * Enables auto-merge for the pushed commit. The push is processed first, because it would cancel an auto-merge enabled
 * before. If the branch has moved on since, auto-merge is not enabled for the newer commits.
 */
async function enableAutoMerge(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  tip: string | undefined,
): Promise<void> {
  await refreshRequest(services, id);
  const request = await requestById(services.db.read, id);
  if (request?.state !== 'opened' || (tip !== undefined && request.head_sha !== tip)) return;
  if (await mayMerge(services, caller, subject, request.target_branch))
    await setAutoMerge(services, caller, request, {});
}
