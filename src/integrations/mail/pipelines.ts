import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { currentJobs } from '../../ci/jobs/public.ts';
import { mayReadPipelines, type PipelineRow, pipelinesById } from '../../ci/pipelines/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import {
  isNotifiedOfPipeline,
  isNotifiedOfServiceAccount,
  watchersOf,
} from '../../planning/notification-settings/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { composeEmail, messageId } from './compose.ts';
import { failedJobs } from './failed-jobs.ts';
import { type Recipient, recipientsIn, send } from './recipients.ts';
import { statusBefore } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A pipeline has finished: notifies the user who started it. */
    'mail.pipeline': { id: number };
  }
}

/** Child pipelines are covered by their parent. */
export async function onPipeline(
  { queue }: Services,
  trx: Writer,
  { pipeline, before }: DomainEvents['pipeline.changed'],
): Promise<void> {
  const { id, status, source, user_id } = pipeline;
  if (status === before || user_id === null || source === 'parent_pipeline') return;
  if (status === 'failed' || status === 'success') await queue.enqueue(trx, 'mail.pipeline', { id });
}

const titles = { failed: 'Failed', fixed: 'Fixed', success: 'Successful' } as const;
const ends = { failed: 'failed', fixed: 'succeeded after the previous one failed', success: 'succeeded' } as const;
type End = keyof typeof titles;

async function endOf(db: Reader, pipeline: PipelineRow): Promise<End | undefined> {
  if (pipeline.status === 'failed') return 'failed';
  // The pipeline may have been retried since.
  if (pipeline.status !== 'success') return undefined;
  return (await statusBefore(db, pipeline)) === 'failed' ? 'fixed' : 'success';
}

/**
 * Returns the recipients: the user who started the pipeline or, for a service account, those who subscribed to its
 * pipelines.
 */
async function recipientsOf(
  services: Services,
  pipeline: PipelineRow,
  project: Project,
  end: End,
): Promise<Recipient[]> {
  const { read } = services.db;
  const starter = pipeline.user_id === null ? undefined : await findUser(read, pipeline.user_id);
  if (!starter) return [];
  if (starter.kind !== 'service_account') {
    return recipientsIn(services, project, [starter.id], (choice) => isNotifiedOfPipeline(choice, `${end}_pipeline`));
  }
  const watchers = await watchersOf(read, { project_id: project.id, namespace_id: null });
  return recipientsIn(services, project, watchers, (choice) => isNotifiedOfServiceAccount(choice, end));
}

/** Notifies the recipients of a finished pipeline. */
export async function notifyOfPipeline(services: Services, job: Job<{ id: number }>): Promise<void> {
  const { db, externalUrl } = services;
  const { read } = db;
  const [pipeline] = await pipelinesById(read, [job.payload.id]);
  const end = pipeline && (await endOf(read, pipeline));
  const project = pipeline && (await findProject(read, pipeline.project_id));
  if (!end || !project) return;
  const recipients = await recipientsOf(services, pipeline, project, end);
  const failed = end === 'failed' && recipients.length > 0 ? failedJobs(await currentJobs(read, pipeline.id)) : [];
  const short = pipeline.sha.slice(0, 8);
  const messages = recipients
    .filter(({ subject }) => mayReadPipelines(subject))
    .map(({ user, email, subject: { fullPath } }) => {
      const own = user.id === pipeline.user_id;
      return composeEmail({
        to: email,
        subject: `${fullPath} | ${titles[end]} pipeline for ${pipeline.ref} | ${short}`,
        says: [
          `Pipeline #${pipeline.id} for ${pipeline.ref} at ${short} ${ends[end]}.`,
          ...(pipeline.yaml_errors === null ? [] : [pipeline.yaml_errors]),
          ...failed,
        ],
        link: { text: `Pipeline #${pipeline.id}`, url: `${externalUrl}/${fullPath}/-/pipelines/${pipeline.id}` },
        reason: `You get this because ${own ? 'you started the pipeline' : 'you subscribed to pipelines of service accounts'}. Change this in your notification settings.`,
        id: messageId(externalUrl, 'pipeline', pipeline.id, end, pipeline.updated_at, user.id),
      });
    });
  await send(services, job, messages);
}
