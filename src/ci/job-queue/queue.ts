import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { afterCommit, type Writer } from '../../platform/database/database.ts';
import type { CiJobRow } from '../jobs/public.ts';
import { jobsAvailableSignal } from '../runners/public.ts';
import { addPending, removePending, setRunnerKinds } from './store.ts';

/** Runner types that a project accepts. */
export const runnerKindsOf = (project: Project) => ({
  instance_runners: settingsOf(project).shared_runners_enabled === false ? 0 : 1,
  group_runners: settingsOf(project).group_runners_enabled === false ? 0 : 1,
});

/** Adds a job to the queue when it becomes pending, and removes it otherwise. */
export async function followJob(
  { signals }: Services,
  trx: Writer,
  { job, before }: { readonly job: CiJobRow; readonly before: string },
): Promise<void> {
  if (job.kind !== 'build') return;
  if (job.status !== 'pending') {
    if (before === 'pending') await removePending(trx, job.id);
    return;
  }
  const project = await findProject(trx, job.project_id);
  if (!project) return;
  await addPending(trx, {
    job_id: job.id,
    project_id: job.project_id,
    protected: job.protected,
    tag_list: job.tag_list,
    ...runnerKindsOf(project),
  });
  afterCommit(trx, () => signals.notify(jobsAvailableSignal));
}

/** Updates queued jobs when the project changes the accepted runner types. */
export async function followProject(
  { signals }: Services,
  trx: Writer,
  { before, project }: { readonly before: Project; readonly project: Project },
): Promise<void> {
  const [previous, current] = [runnerKindsOf(before), runnerKindsOf(project)];
  if (previous.instance_runners === current.instance_runners && previous.group_runners === current.group_runners)
    return;
  await setRunnerKinds(trx, project.id, current);
  afterCommit(trx, () => signals.notify(jobsAvailableSignal));
}
