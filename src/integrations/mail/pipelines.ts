import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import { projectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { currentJobs } from '../../ci/jobs/public.ts';
import { mayReadPipelines, type PipelineRow, pipelinesById } from '../../ci/pipelines/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { choicesOf, isToldOfPipeline } from '../../planning/notification-settings/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Occurrences } from '../../platform/occurrences.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { failedJobs } from './failed-jobs.ts';
import { wantsMail } from './hearing.ts';
import { letterId, writeLetter } from './letter.ts';
import { statusBefore } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A pipeline has come to its end: whoever started it may hear of it. */
    'mail.pipeline': { id: number };
  }
}

/** Pipelines that others have started end with those. */
export async function onPipeline(
  { queue }: Services,
  trx: Writer,
  { pipeline, before }: Occurrences['pipeline.changed'],
): Promise<void> {
  const { id, status, source, user_id } = pipeline;
  if (status === before || user_id === null || source === 'parent_pipeline') return;
  if (status === 'failed' || status === 'success') await queue.enqueue(trx, 'mail.pipeline', { id });
}

const titles = { failed: 'Failed', fixed: 'Fixed', success: 'Successful' } as const;
const ends = { failed: 'failed', fixed: 'succeeded, as the one before it did not', success: 'succeeded' } as const;
type End = keyof typeof titles;

async function endOf(db: Reader, pipeline: PipelineRow): Promise<End | undefined> {
  if (pipeline.status === 'failed') return 'failed';
  // Somebody may have let it run again since.
  if (pipeline.status !== 'success') return undefined;
  return (await statusBefore(db, pipeline)) === 'failed' ? 'fixed' : 'success';
}

/** Who started it, if they may still see it and read letters. */
async function starterOf({ db, externalUrl }: Services, { user_id }: PipelineRow): Promise<User | undefined> {
  const user = user_id === null ? undefined : await findUser(db.read, user_id);
  if (user?.kind !== 'human' || user.confirmed_at === null || unusable(user, externalUrl) !== undefined) {
    return undefined;
  }
  return user;
}

/** Writes to whoever started a pipeline how it ended, if that is what they chose to hear. */
export async function notifyOfPipeline(services: Services, { payload: { id } }: Job<{ id: number }>): Promise<void> {
  const { db, externalUrl, queue } = services;
  const { read } = db;
  const [pipeline] = await pipelinesById(read, [id]);
  const [end, user, project] = pipeline
    ? [await endOf(read, pipeline), await starterOf(services, pipeline), await findProject(read, pipeline.project_id)]
    : [];
  if (!pipeline || !end || !user || !project || !(await wantsMail(read, project))) return;
  const subject = await projectSubject(read, actingFor(user), project);
  if (!mayReadPipelines(subject)) return;
  const around = await settingsAbove(read, project.namespace_id);
  const scope = { projectId: project.id, namespaceIds: around.map((namespace) => namespace.id) };
  const choice = (await choicesOf(read, [user.id], scope)).get(user.id);
  if (!choice || !isToldOfPipeline(choice, `${end}_pipeline`)) return;
  const short = pipeline.sha.slice(0, 8);
  const letter = writeLetter({
    to: choice.email ?? user.email,
    subject: `${subject.fullPath} | ${titles[end]} pipeline for ${pipeline.ref} | ${short}`,
    says: [
      `Pipeline #${pipeline.id} for ${pipeline.ref} at ${short} ${ends[end]}.`,
      ...(pipeline.yaml_errors === null ? [] : [pipeline.yaml_errors]),
      ...(end === 'failed' ? failedJobs(await currentJobs(read, pipeline.id)) : []),
    ],
    link: { text: `Pipeline #${pipeline.id}`, url: `${externalUrl}/${subject.fullPath}/-/pipelines/${pipeline.id}` },
    reason: 'You get this because you started the pipeline. What you hear of is chosen in your settings.',
    id: letterId(externalUrl, 'pipeline', pipeline.id, end, pipeline.updated_at),
  });
  await db.write((trx) => queue.enqueue(trx, 'mail.send', letter));
}
