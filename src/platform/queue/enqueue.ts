import type { Writer } from '../database/database.ts';
import { least } from '../database/expressions.ts';
import type { EnqueueOptions } from './job.ts';
import { laneName } from './lanes.ts';
import { waitingKey } from './waiting.ts';
import './tables.ts';

/** Adds a job, or joins the one of the same key that waits; returns its id. */
export async function insertJob(
  trx: Writer,
  kind: string,
  payload: unknown,
  { runAt, dedupeKey, priority = 0, maxAttempts, now }: EnqueueOptions & { maxAttempts: number; now: number },
): Promise<number> {
  if (!Number.isInteger(priority)) throw new RangeError(`a priority is a whole number, not ${priority}`);
  const row = await trx
    .insertInto('jobs')
    .values({
      kind,
      lane: laneName(kind, priority),
      payload: JSON.stringify(payload),
      dedupe_key: dedupeKey ?? null,
      waiting_key: waitingKey(kind, dedupeKey ?? null),
      run_at: runAt ?? now,
      max_attempts: maxAttempts,
      created_at: now,
    })
    // Not "do nothing": the update locks the waiting job until this transaction has committed, so that no worker starts
    // it before it can see what this transaction has written.
    .onConflict((conflict) =>
      conflict.column('waiting_key').doUpdateSet((eb) => ({
        payload: eb.ref('excluded.payload'),
        run_at: least(eb.ref('jobs.run_at'), eb.ref('excluded.run_at')),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
