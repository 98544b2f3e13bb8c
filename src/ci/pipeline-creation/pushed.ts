import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, projectSubject } from '../../access/subjects.ts';
import type { Push, PushOptionsFollower } from '../../code/pushes/public.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { type PipelineOptions, readPushOptions, refusalOf } from './push-options.ts';
import { refRights } from './ref-rights.ts';
import { createPipeline } from './service.ts';

/** `[skip ci]`, `[ci skip]`, in any case, with a space, a dash or an underscore between. */
const asksToSkip = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whether a message asks that its commit be passed over. */
function skipsByMessage(message: string): boolean {
  return asksToSkip.test(message);
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

/** By which the job that makes the pipeline of a branch or tag is found while it waits. */
export const pushedKey = ({ projectId, kind, name, tip }: Pick<PushedRef, 'projectId' | 'kind' | 'name' | 'tip'>) =>
  `${projectId} ${kind} ${name} ${tip}`;

/** A push may move any number of refs: pipelines are made for so many, so that nobody floods the runners by a mirror. */
const maxRefs = 4;

/** Has pipelines made for the branches and tags that a push has moved. */
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
    const dedupeKey = pushedKey({ projectId, kind, name, tip });
    await queue.enqueue(trx, 'ci.pushed', { projectId, userId, kind, name, old, tip, pushOptions }, { dedupeKey });
  }
}

/** Says how pipelines are made of what was pushed. */
export function creationJobs(services: Services): void {
  services.queue.defineJob('ci.pushed', (job) => startPushed(services, job), { maxAttempts: 5, timeoutMs: 120_000 });
}

/** Who pushed, and the project as they see it; undefined where either is gone or they are kept out. */
async function pusherOf({ db, externalUrl }: Services, projectId: number, userId: number) {
  const user = await findUser(db.read, userId);
  const found = await lookUpProject(db.read, `${projectId}`);
  if (!user || !found || unusable(user, externalUrl) !== undefined) return undefined;
  const actor = actingFor(user);
  return { actor, subject: await projectSubject(db.read, actor, found.project) };
}

/** Tells whoever pushed by git that their options ask for what no pipeline can be made with. */
export const followPipelineOptions: PushOptionsFollower = async (services, { projectId, userId, pushOptions }) => {
  const options = readPushOptions(pushOptions);
  if (userId === null || isPlain(options)) return [];
  const pusher = await pusherOf(services, projectId, userId);
  const refusal = pusher && refusalOf(options, pusher.subject);
  return refusal === undefined ? [] : [refusal];
};

const isPlain = ({ variables, inputs }: PipelineOptions) => variables.length === 0 && Object.keys(inputs).length === 0;

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
