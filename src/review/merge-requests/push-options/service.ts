import { actingFor } from '../../../access/actor.ts';
import { unusable } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import type { MovedRef, Push } from '../../../code/pushes/public.ts';
import { defaultBranch } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { openRequest } from '../changes/create.ts';
import { asDraft } from '../changes/draft.ts';
import { changeRequest } from '../changes/update.ts';
import { mayMerge } from '../detail.ts';
import { setAutoMerge } from '../merge/auto-merge.ts';
import { openFrom } from '../store.ts';
import { readRequestOptions } from './read.ts';
import { userIdsNamed } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Whoever pushed a branch asks for a merge request from it. */
    'merge-requests.push-options': {
      projectId: number;
      userId: number;
      branch: string;
      title: string | null;
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
  await queue.enqueue(trx, 'merge-requests.push-options', { projectId, userId, branch, title, options: pushOptions });
}

/** Opens or changes the merge request that a push asks for, as far as the pusher may. */
export async function carryOutOptions(
  services: Services,
  job: {
    readonly projectId: number;
    readonly userId: number;
    readonly branch: string;
    readonly title: string | null;
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
    ...(asked.assignees.length > 0 && { assignee_ids: await userIdsNamed(read, asked.assignees) }),
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
      };
      if (Object.keys(params).length > 0) await changeRequest(services, caller, source, found, params);
      if (asked.autoMerge && (await mayMerge(services, caller, source, target))) {
        await setAutoMerge(services, caller, found, {});
      }
      return;
    }
    if (!asked.create || !source.can('push_code')) return;
    const title = titled(asked.title ?? (job.title || job.branch)).slice(0, 255);
    const wanted = { ...changes, title, source_branch: job.branch, target_branch: target };
    const { state } = await openRequest(services, caller, source, wanted);
    if (asked.autoMerge && (await mayMerge(services, caller, source, target))) {
      await setAutoMerge(services, caller, state.request, {});
    }
  } catch (error) {
    // What the pusher may not have, or what cannot be, is left out; the push itself has happened.
    if (!(error instanceof HttpError)) throw error;
    services.log.info({ project: project.id, branch: job.branch, reason: error.message }, 'push options refused');
  }
}
