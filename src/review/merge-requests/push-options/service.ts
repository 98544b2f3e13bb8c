import { actingFor, type SignedInActor } from '../../../access/actor.ts';
import { unusable } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { ancestorsOf } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import type { MovedRef, Push } from '../../../code/pushes/public.ts';
import { defaultBranch } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { milestonesNamed } from '../../../planning/milestones/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { openRequest } from '../changes/create.ts';
import { asDraft } from '../changes/draft.ts';
import { changeRequest } from '../changes/update.ts';
import { mayMerge } from '../detail.ts';
import { setAutoMerge } from '../merge/auto-merge.ts';
import { stateOf } from '../service.ts';
import { openFrom, requestById } from '../store.ts';
import { renewVersion } from '../versions/renew.ts';
import { type RequestOptions, readRequestOptions } from './read.ts';
import { userIdsNamed } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Whoever pushed a branch asks for a merge request from it. */
    'merge-requests.push-options': {
      projectId: number;
      userId: number;
      branch: string;
      title: string | null;
      /** What the branch is since; pushes of earlier versions do not say. */
      tip?: string;
      options: readonly string[];
    };
  }
}

export async function enqueueOptions(
  { queue }: Services,
  trx: Writer,
  { projectId, userId, pushOptions }: Push,
  { name: branch, commitTitle: title, new: tip }: MovedRef,
): Promise<void> {
  if (tip === null || userId === null || readRequestOptions(pushOptions) === undefined) return;
  const payload = { projectId, userId, branch, title, tip, options: pushOptions };
  await queue.enqueue(trx, 'merge-requests.push-options', payload);
}

/** Opens or changes the merge request that a push asks for, as far as the pusher may. */
export async function carryOutOptions(
  services: Services,
  job: {
    readonly projectId: number;
    readonly userId: number;
    readonly branch: string;
    readonly title: string | null;
    readonly tip?: string;
    readonly options: readonly string[];
  },
): Promise<void> {
  const { read } = services.db;
  const asked = readRequestOptions(job.options);
  const [user, project] = await Promise.all([findUser(read, job.userId), findProject(read, job.projectId)]);
  if (!asked || !user || !project || unusable(user, services.externalUrl) !== undefined) return;
  const caller = actingFor(user);
  const source = await projectSubject(read, caller, project);
  const target = asked.target ?? defaultBranch(source);
  const changes = {
    ...(asked.description !== undefined && { description: asked.description }),
    ...(asked.labels.length > 0 && { add_labels: [...asked.labels] }),
    ...(asked.unlabels.length > 0 && { remove_labels: [...asked.unlabels] }),
    ...(await milestoneAsked(services, source, asked.milestone)),
    ...(asked.removeSource && { remove_source_branch: true }),
    ...(asked.squash && { squash: true }),
  };
  const titled = (title: string) => (asked.draft ? asDraft(title) : title);
  try {
    const open = (await openFrom(read, project.id, job.branch)).filter(({ project_id }) => project_id === project.id);
    const found = open.find(({ target_branch }) => target_branch === target) ?? (asked.create ? undefined : open[0]);
    if (found) {
      const title = asked.title ?? (asked.draft ? found.title : undefined);
      const params = {
        ...changes,
        ...(title !== undefined && { title: titled(title) }),
        ...(asked.target !== undefined && { target_branch: asked.target }),
        ...(await assigneesAsked(services, asked, (await stateOf(read, found)).assigneeIds)),
      };
      if (Object.keys(params).length > 0) await changeRequest(services, caller, source, found, params);
      if (asked.autoMerge) await mergeByItself(services, caller, source, found.id, job.tip);
      return;
    }
    if (!asked.create || !source.can('push_code')) return;
    const title = titled(asked.title ?? (job.title || job.branch)).slice(0, 255);
    // Whoever opens one by a push has it, unless somebody is named.
    const assigned = (await assigneesAsked(services, asked, [])) ?? { assignee_ids: [user.id] };
    const wanted = { ...changes, ...assigned, title, source_branch: job.branch, target_branch: target };
    const { state } = await openRequest(services, caller, source, wanted);
    if (asked.autoMerge) await mergeByItself(services, caller, source, state.request.id, job.tip);
  } catch (error) {
    // What the pusher may not have, or what cannot be, is left out; the push itself has happened.
    if (!(error instanceof HttpError)) throw error;
    services.log.info({ project: project.id, branch: job.branch, reason: error.message }, 'push options refused');
  }
}

/** Who has it afterwards, where the push says anything about that. */
async function assigneesAsked(
  { db }: Services,
  { assignees, unassigned }: RequestOptions,
  now: readonly number[],
): Promise<{ assignee_ids: number[] } | undefined> {
  if (assignees.length + unassigned.length === 0) return undefined;
  const [added, gone] = [await userIdsNamed(db.read, assignees), await userIdsNamed(db.read, unassigned)];
  return { assignee_ids: [...new Set([...now, ...added])].filter((id) => !gone.includes(id)) };
}

/** A milestone that there is not is left out. */
async function milestoneAsked(
  { db }: Services,
  { project, namespace }: ProjectSubject,
  name: string | undefined,
): Promise<{ milestone_id: number } | undefined> {
  if (name === undefined) return undefined;
  const above = namespace.kind === 'group' ? await ancestorsOf(db.read, namespace.id) : [];
  const found = (await milestonesNamed(db.read, project.id, above, [name])).get(name);
  return found && { milestone_id: found.id };
}

/**
 * Has it merged by itself as it was pushed. The push is taken in first: an automatic merge of what was there before ends
 * with it. Where the branch has moved on since, nobody has asked for that.
 */
async function mergeByItself(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  tip: string | undefined,
): Promise<void> {
  await renewVersion(services, id);
  const request = await requestById(services.db.read, id);
  if (request?.state !== 'opened' || (tip !== undefined && request.head_sha !== tip)) return;
  if (await mayMerge(services, caller, subject, request.target_branch))
    await setAutoMerge(services, caller, request, {});
}
