import type { Database, Writer } from '../database/database.ts';
import { type Param, statement } from '../database/statement.ts';
import { backoffMs } from './backoff.ts';
import { GiveUp, RunAgain } from './job.ts';
import { type LeasedJob, markDead } from './leases.ts';
import { requeue, writeRequeueing } from './waiting.ts';

const maxErrorLength = 10_000;

const removal = statement((db, param: Param<{ id: number; lease_token: string }>) =>
  db.deleteFrom('jobs').where('id', '=', param('id')).where('lease_token', '=', param('lease_token')),
);

/** Deletes a completed job; false if the lease was lost. */
export async function remove(trx: Writer, { id, lease_token }: LeasedJob): Promise<boolean> {
  return (await removal.run(trx, { id, lease_token })) > 0;
}

/** Records a failed attempt: retried later, or dead. Does nothing if the lease was lost. */
export async function fail(db: Database, job: LeasedJob, error: unknown, now: number): Promise<void> {
  const reason = describe(error);
  const final = error instanceof GiveUp || job.attempts >= job.max_attempts;
  await whileHeld(db, job, async (trx) => {
    if (error instanceof RunAgain) {
      await requeue(trx, job, { run_at: now + error.delayMs, attempts: job.attempts - 1 });
    } else if (final) {
      await markDead(trx, job.id, reason, now);
    } else {
      const run_at = now + backoffMs(job.attempts);
      await requeue(trx, job, { run_at, attempts: job.attempts, error: reason, failed_at: now });
    }
  });
}

/** Returns a job as if it had not been started. */
export async function release(db: Database, job: LeasedJob, now: number): Promise<void> {
  await whileHeld(db, job, (trx) => requeue(trx, job, { run_at: now, attempts: job.attempts - 1 }));
}

function whileHeld(db: Database, job: LeasedJob, work: (trx: Writer) => Promise<void>): Promise<void> {
  return writeRequeueing(db, async (trx) => {
    const held = await trx
      .selectFrom('jobs')
      .select('id')
      .where('id', '=', job.id)
      .where('lease_token', '=', job.lease_token)
      .$if(db.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (held) await work(trx);
  });
}

function describe(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.slice(0, maxErrorLength);
}
