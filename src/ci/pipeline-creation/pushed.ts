import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, projectSubject } from '../../access/subjects.ts';
import type { Push, PushOptionsHandler } from '../../code/pushes/public.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { type PipelineOptions, readPushOptions, refusalOf } from './push-options.ts';
import { refRights } from './ref-rights.ts';
import { createPipeline } from './service.ts';

/** `[skip ci]` or `[ci skip]` in any case, separated by a space, dash or underscore. */
const skipPattern = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whether a commit message requests to skip CI. */
function skipsByMessage(message: string): boolean {
  return skipPattern.test(message);
}

interface PushedRef {
  readonly projectId: number;
  readonly userId: number;
  readonly kind: 'branch' | 'tag';
  readonly name: string;
  readonly old: string | null;
  readonly tip: string;
  readonly pushOptions: readonly string[];
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.pushed': PushedRef;
  }
}

/** Deduplication key of the queue job that creates the pipeline of a pushed ref. */
export const pushedPipelineKey = ({
  projectId,
  kind,
  name,
  tip,
}: Pick<PushedRef, 'projectId' | 'kind' | 'name' | 'tip'>) => `${projectId} ${kind} ${name} ${tip}`;

/** No pipelines are created for pushes of more refs, so that a mirror push does not flood the runners. */
const maxRefs = 4;

/** Schedules pipelines for the branches and tags changed by a push. */
export async function schedulePipelines(
  { queue }: Services,
  trx: Writer,
  { projectId, userId, refs, pushOptions }: Push,
): Promise<void> {
  if (userId === null) return;
  const moved = refs.filter((ref) => ref.new !== null);
  if (moved.length > maxRefs) return;
  for (const { kind, name, old, new: tip } of moved) {
    if (tip === null) continue;
    const dedupeKey = pushedPipelineKey({ projectId, kind, name, tip });
    await queue.enqueue(trx, 'ci.pushed', { projectId, userId, kind, name, old, tip, pushOptions }, { dedupeKey });
  }
}

/** Defines the job that creates pipelines of pushes. */
export function creationJobs(services: Services): void {
  services.queue.defineJob('ci.pushed', (job) => startPushed(services, job), { maxAttempts: 5, timeoutMs: 120_000 });
}

/** The pusher and their view of the project; undefined when either no longer exists or the user is blocked. */
async function pusherOf({ db, externalUrl }: Services, projectId: number, userId: number) {
  const user = await findUser(db.read, userId);
  const found = await lookUpProject(db.read, `${projectId}`);
  if (!user || !found || accountRefusal(user, externalUrl) !== undefined) return undefined;
  const actor = actorOnBehalfOf(user);
  return { actor, subject: await projectSubject(db.read, actor, found.project) };
}

/** Reports push options that prevent a pipeline to the git client. */
export const followPipelineOptions: PushOptionsHandler = async (services, { projectId, userId, pushOptions }) => {
  const options = readPushOptions(pushOptions);
  if (userId === null || hasNoValues(options)) return [];
  const pusher = await pusherOf(services, projectId, userId);
  const refusal = pusher && refusalOf(options, pusher.subject);
  return refusal === undefined ? [] : [refusal];
};

const hasNoValues = ({ variables, inputs }: PipelineOptions) =>
  variables.length === 0 && Object.keys(inputs).length === 0;

async function startPushed(services: Services, job: Job<PushedRef>): Promise<void> {
  const { projectId, userId, kind, name, old, tip, pushOptions } = job.payload;
  const pusher = await pusherOf(services, projectId, userId);
  if (!pusher?.subject.can('create_pipeline')) return;
  const { actor, subject } = pusher;
  const rights = await refRights(services, actor, subject, kind, name);
  if (!rights.mayRun) return;
  const objects = services.git.objects(repositoryOf(services, subject));
  const oid = await objects.commitId(tip);
  const commit = oid === null ? null : await objects.commit(oid);
  const options = readPushOptions(pushOptions);
  if (!commit || options.none || refusalOf(options, subject) !== undefined) return;
  const before = kind === 'branch' ? old : null;
  await createPipeline(
    services,
    {
      actor,
      subject,
      ref: name,
      kind,
      commit,
      before,
      source: 'push',
      protected: rights.protected,
      variables: options.variables,
      inputs: options.inputs,
    },
    { saveInvalid: true, skip: options.skip || skipsByMessage(commit.message), also: (trx) => job.finish(trx) },
  );
}
