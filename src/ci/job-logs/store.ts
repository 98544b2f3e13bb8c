import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

export async function appendChunk(trx: Writer, jobId: number, start: number, bytes: Uint8Array): Promise<void> {
  await trx.insertInto('job_log_chunks').values({ job_id: jobId, start, size: bytes.length, bytes }).execute();
}

const chunkAt = statement((db, param: Param<{ job: number; start: number }>) =>
  db
    .selectFrom('job_log_chunks')
    .select(['start', 'size', 'bytes'])
    .where('job_id', '=', param('job'))
    .where('start', '>=', param('start'))
    .orderBy('start')
    .limit(1),
);

const chunkContaining = statement((db, param: Param<{ job: number; byte: number }>) =>
  db
    .selectFrom('job_log_chunks')
    .select('start')
    .where('job_id', '=', param('job'))
    .where('start', '<=', param('byte'))
    .orderBy('start', 'desc')
    .limit(1),
);

/** Yields the log of a job in chunks, from byte `from` up to `end` (exclusive). */
export async function* chunksOf(db: Reader, job: number, end: number, from = 0): AsyncGenerator<Buffer> {
  const first = from === 0 ? 0 : ((await chunkContaining.first(db, { job, byte: from }))?.start ?? 0);
  for (let start = first; start < end; ) {
    const chunk = await chunkAt.first(db, { job, start });
    if (!chunk) return;
    start = chunk.start + chunk.size;
    yield Buffer.from(chunk.bytes).subarray(Math.max(0, from - chunk.start), end - chunk.start);
  }
}

export async function hasChunks(db: Reader, job: number): Promise<boolean> {
  return (await chunkAt.first(db, { job, start: 0 })) !== undefined;
}

export async function deleteChunks(trx: Writer, job: number): Promise<void> {
  await trx.deleteFrom('job_log_chunks').where('job_id', '=', job).execute();
}
