import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { afterCommit, type Writer } from '../../platform/database/database.ts';
import type { CiJobRow } from '../jobs/public.ts';
import { jobsWanted } from '../runners/public.ts';
import { addPending, removePending, setRunnerKinds } from './store.ts';

/** Which kinds of runners a project lets have its jobs. */
export const kindsOf = (project: Project) => ({
  instance_runners: settingsOf(project).shared_runners_enabled === false ? 0 : 1,
  group_runners: settingsOf(project).group_runners_enabled === false ? 0 : 1,
});

/** Lets a job into the queue when it is pending, and out of it when it is not. */
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
    ...kindsOf(project),
  });
  afterCommit(trx, () => signals.notify(jobsWanted));
}

/** A project may let other kinds of runners have its jobs now. */
export async function followProject(
  { signals }: Services,
  trx: Writer,
  { before, project }: { readonly before: Project; readonly project: Project },
): Promise<void> {
  const [old, now] = [kindsOf(before), kindsOf(project)];
  if (old.instance_runners === now.instance_runners && old.group_runners === now.group_runners) return;
  await setRunnerKinds(trx, project.id, now);
  afterCommit(trx, () => signals.notify(jobsWanted));
}
