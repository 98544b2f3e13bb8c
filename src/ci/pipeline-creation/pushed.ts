import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, projectSubject } from '../../access/subjects.ts';
import type { Push } from '../../code/pushes/public.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/queue.ts';
import type { GivenVariable } from './plan.ts';
import { refRights } from './ref-rights.ts';
import { createPipeline } from './service.ts';

/** `[skip ci]`, `[ci skip]`, in any case, with a space, a dash or an underscore between. */
const asksToSkip = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whether a message asks that its commit be passed over. */
function skipsByMessage(message: string): boolean {
  return asksToSkip.test(message);
}

/** What the options of a push say about its pipelines. */
function readPushOptions(options: readonly string[]): {
  readonly skip: boolean;
  readonly none: boolean;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
} {
  const variables = options.flatMap((option) => {
    const [, key, value] = /^ci\.variable="?([A-Za-z0-9_]+)=(.*?)"?$/s.exec(option) ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value }];
  });
  return { skip: options.includes('ci.skip'), none: options.includes('ci.no_pipeline'), variables };
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
const mostRefs = 4;

/** Has pipelines made for the branches and tags that a push has moved. */
export async function schedulePipelines(
  { queue }: Services,
  trx: Writer,
  { projectId, userId, refs, pushOptions }: Push,
): Promise<void> {
  if (userId === null) return;
  const moved = refs.filter((ref) => ref.new !== null);
  if (moved.length > mostRefs) return;
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

async function startPushed(services: Services, job: Job<PushedRef>): Promise<void> {
  const { projectId, userId, kind, name, old, tip, pushOptions } = job.payload;
  const { db, git } = services;
  const user = await findUser(db.read, userId);
  const found = await lookUpProject(db.read, `${projectId}`);
  if (!user || !found || unusable(user, services.externalUrl) !== undefined) return;
  const actor = actingFor(user);
  const subject = await projectSubject(db.read, actor, found.project);
  if (!subject.can('create_pipeline')) return;
  const rights = await refRights(services, actor, subject, kind, name);
  if (!rights.mayRun) return;
  const objects = git.objects(repositoryOf(services, subject));
  const oid = await objects.commitId(tip);
  const commit = oid === null ? null : await objects.commit(oid);
  const options = readPushOptions(pushOptions);
  if (!commit || options.none) return;
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
      variables: options.variables.map((variable): GivenVariable => ({ ...variable, variableType: 'env_var' })),
      inputs: {},
    },
    { saveInvalid: true, skip: options.skip || skipsByMessage(commit.message), also: (trx) => job.finish(trx) },
  );
}
