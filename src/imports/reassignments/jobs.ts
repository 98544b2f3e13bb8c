import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { reassignReleases } from '../../code/releases/public.ts';
import { mergeAccount } from '../../people/users/public.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { updateSourceUser } from '../content/public.ts';
import * as store from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'imports.reassign': { id: number };
  }
}

const waitMs = 10_000;

export function reassignmentJobs(services: Services): void {
  services.queue.defineJob('imports.reassign', (job) => reassign(services, job), {
    timeoutMs: 60 * 60_000,
    maxAttempts: 5,
    concurrency: 1,
  });
}

/** Transfers everything of a placeholder to the real user and deletes the placeholder. */
async function reassign(services: Services, job: Job<{ readonly id: number }>): Promise<void> {
  const { id } = job.payload;
  await services.db.write(async (trx) => {
    const row = await store.lockSourceUser(trx, id);
    if (row?.status !== 'reassignment_in_progress') return;
    // A running import would continue to write as the deleted placeholder.
    if (await store.importsRun(trx, row.import_type)) throw new RunAgain(waitMs);
    const placeholder = await findUser(trx, row.user_id);
    const heir = await findUser(trx, row.reassign_to_id);
    if (placeholder?.kind !== 'placeholder' || !heir) {
      await updateSourceUser(trx, id, { status: 'pending_reassignment', reassign_to_id: null });
      return;
    }
    // Later imports attribute contributions to the user directly.
    await updateSourceUser(trx, id, { status: 'completed', user_id: heir.id });
    await reassignReleases(trx, placeholder.id, heir.id);
    await mergeAccount(services, trx, placeholder, heir);
  });
}
