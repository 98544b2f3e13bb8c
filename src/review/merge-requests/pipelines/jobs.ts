import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { pipelineKey } from './missing-pipelines.ts';
import { requirePipelinePlace, startFor } from './service.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The head or target of a merge request has changed, and the CI configuration may define a pipeline for it. */
    'merge-requests.pipeline': { id: number; userId: number; head: string };
    /** A user requested a pipeline asynchronously. */
    'merge-requests.asked-pipeline': { id: number; userId: number };
  }
}

/** Enqueues the pipeline of a new head or target. */
export async function enqueuePipeline(
  services: Services,
  trx: Writer,
  {
    action,
    actorId,
    before,
    after,
  }: {
    readonly action: string;
    readonly actorId: number;
    readonly before?: { readonly request: MergeRequestRow };
    readonly after: { readonly request: MergeRequestRow };
  },
): Promise<void> {
  const { head_sha: head, target_branch: target } = after.request;
  const moved = before?.request.head_sha !== head || before.request.target_branch !== target;
  const isNew = action === 'open' || action === 'reopen' || moved;
  if (isNew) await enqueuePipelineOf(services, trx, after.request, actorId);
}

/** Enqueues the pipeline of the current head. */
export async function enqueuePipelineOf(
  { queue }: Services,
  trx: Writer,
  { id, head_sha: head, state, base_sha: base }: MergeRequestRow,
  actorId: number,
): Promise<void> {
  if (state !== 'opened' || head === null || head === base) return;
  await queue.enqueue(
    trx,
    'merge-requests.pipeline',
    { id, userId: actorId, head },
    { dedupeKey: pipelineKey(id, head) },
  );
}

/** Enqueues a pipeline requested by a user, who must be allowed to run it. */
export async function requestPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<void> {
  const { request } = await requirePipelinePlace(services, caller, subject, iid);
  const payload = { id: request.id, userId: caller.user.id };
  await services.db.write((trx) => services.queue.enqueue(trx, 'merge-requests.asked-pipeline', payload));
}

export function pipelineJobs(services: Services): void {
  const start = async (request: MergeRequestRow | undefined, userId: number) => {
    const user = request && (await findUser(services.db.read, userId));
    if (user && accountRefusal(user, services.externalUrl) === undefined)
      await startFor(services, actorOnBehalfOf(user), request);
  };
  services.queue.defineJob(
    'merge-requests.pipeline',
    async ({ payload: { id, userId, head } }) => {
      const request = await requestById(services.db.read, id);
      if (request?.state === 'opened' && request.head_sha === head) await start(request, userId);
    },
    { maxAttempts: 5 },
  );
  services.queue.defineJob(
    'merge-requests.asked-pipeline',
    async ({ payload: { id, userId } }) => start(await requestById(services.db.read, id), userId),
    { maxAttempts: 5 },
  );
}
