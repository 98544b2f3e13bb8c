import type { Database, Reader, Writer } from '../database/database.ts';
import { uniqueViolation } from '../database/errors.ts';
import { laneName } from './lanes.ts';

/** Identifies a job that goes back to waiting. */
export interface Keyed {
  readonly id: number;
  readonly kind: string;
  readonly dedupe_key: string | null;
}

/** The unique value that allows only one waiting job per kind and key. */
export function waitingKey(kind: string, dedupeKey: string | null): string | null {
  return dedupeKey === null ? null : `${kind}/${dedupeKey}`;
}

/** Deletes the waiting job of a kind and key; false if there is none. */
export async function removeWaiting(trx: Writer, kind: string, dedupeKey: string): Promise<boolean> {
  const key = waitingKey(kind, dedupeKey);
  const removed = await trx.deleteFrom('jobs').where('waiting_key', '=', key).executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

/** Returns those of the keys for which an unfinished job of the kind, with the default priority, exists. */
export async function unfinishedKeys(
  db: Reader,
  kind: string,
  dedupeKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (dedupeKeys.length === 0) return new Set();
  const rows = await db
    .selectFrom('jobs')
    .select('dedupe_key')
    .where('state', 'in', ['pending', 'running'])
    .where('lane', '=', laneName(kind, 0))
    .where('dedupe_key', 'in', dedupeKeys)
    .execute();
  return new Set(rows.flatMap(({ dedupe_key }) => dedupe_key ?? []));
}

/**
 * Returns a job to the queue. If a job with the same key was added meanwhile, that one does the work, and this one is
 * deleted.
 */
export async function requeue(
  trx: Writer,
  job: Keyed,
  fields: { run_at: number; attempts: number; error?: string | null; failed_at?: number | null },
): Promise<void> {
  const key = waitingKey(job.kind, job.dedupe_key);
  const duplicate =
    key && (await trx.selectFrom('jobs').select('id').where('waiting_key', '=', key).executeTakeFirst());
  if (duplicate) {
    await trx.deleteFrom('jobs').where('id', '=', job.id).execute();
    return;
  }
  await trx
    .updateTable('jobs')
    .set({ ...fields, state: 'pending', waiting_key: key, lease_token: null, lease_until: null })
    .where('id', '=', job.id)
    .execute();
}

/** A write that may put jobs back: retried if a job of the same key is added at the same moment. */
export async function writeRequeueing<T>(db: Database, work: (trx: Writer) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.write(work);
    } catch (error) {
      if (attempt === 5 || !uniqueViolation(error, ['waiting_key'])) throw error;
    }
  }
}
