import { actingFor } from '../../../access/actor.ts';
import { unusable } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { pipelineKey } from './awaited.ts';
import { startFor } from './service.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A head is new, or its target: the configuration may ask for a pipeline of the merge request. */
    'merge-requests.pipeline': { id: number; userId: number; head: string };
  }
}

/** Has a pipeline made for a head that is new, or that goes somewhere else. */
export async function enqueuePipeline(
  { queue }: Services,
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
  const { id, head_sha: head, state, base_sha: base, target_branch: target } = after.request;
  const moved = before?.request.head_sha !== head || before.request.target_branch !== target;
  const isNew = action === 'open' || action === 'reopen' || moved;
  if (state !== 'opened' || head === null || head === base || !isNew) return;
  await queue.enqueue(
    trx,
    'merge-requests.pipeline',
    { id, userId: actorId, head },
    { dedupeKey: pipelineKey(id, head) },
  );
}

export function pipelineJobs(services: Services): void {
  services.queue.defineJob(
    'merge-requests.pipeline',
    async ({ payload: { id, userId, head } }) => {
      const { read } = services.db;
      const [request, user] = await Promise.all([requestById(read, id), findUser(read, userId)]);
      if (request?.state !== 'opened' || request.head_sha !== head) return;
      if (user && unusable(user, services.externalUrl) === undefined)
        await startFor(services, actingFor(user), request);
    },
    { maxAttempts: 5 },
  );
}
