import type { Writer } from '../database/database.ts';
import { smallerOf } from '../database/expressions.ts';
import { type Param, statement } from '../database/statement.ts';
import type { EnqueueOptions } from './job.ts';
import { laneName } from './lanes.ts';
import type { JobsTable } from './tables.ts';
import { waitingKey } from './waiting.ts';

type NewJob = Pick<
  JobsTable,
  'kind' | 'lane' | 'payload' | 'dedupe_key' | 'waiting_key' | 'run_at' | 'max_attempts' | 'created_at'
>;

const insertion = statement((db, param: Param<NewJob>) =>
  db
    .insertInto('jobs')
    .values({
      kind: param('kind'),
      lane: param('lane'),
      payload: param('payload'),
      dedupe_key: param('dedupe_key'),
      waiting_key: param('waiting_key'),
      run_at: param('run_at'),
      max_attempts: param('max_attempts'),
      created_at: param('created_at'),
    })
    // Not "do nothing": the update locks the waiting job until this transaction commits, so that no worker starts it
    // before it can see what this transaction has written.
    .onConflict((conflict) =>
      conflict.column('waiting_key').doUpdateSet((eb) => ({
        payload: eb.ref('excluded.payload'),
        run_at: smallerOf(eb.ref('jobs.run_at'), eb.ref('excluded.run_at')),
      })),
    )
    .returning('id'),
);

/** Adds a job, or joins the waiting one of the same key; returns its id. */
export async function insertJob(
  trx: Writer,
  kind: string,
  payload: unknown,
  { runAt, dedupeKey, priority = 0, maxAttempts, now }: EnqueueOptions & { maxAttempts: number; now: number },
): Promise<number> {
  if (!Number.isInteger(priority)) throw new RangeError(`a priority must be an integer, not ${priority}`);
  const row = await insertion.first(trx, {
    kind,
    lane: laneName(kind, priority),
    payload: JSON.stringify(payload),
    dedupe_key: dedupeKey ?? null,
    waiting_key: waitingKey(kind, dedupeKey ?? null),
    run_at: runAt ?? now,
    max_attempts: maxAttempts,
    created_at: now,
  });
  if (!row) throw new Error(`a job of kind ${kind} was neither inserted nor merged`);
  return row.id;
}
