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

/** The log of a job, one part after the other, up to a length. */
export async function* chunksOf(db: Reader, job: number, length: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < length; ) {
    const chunk = await chunkAt.first(db, { job, start });
    if (!chunk) return;
    start = chunk.start + chunk.size;
    yield Buffer.from(chunk.bytes);
  }
}

export async function hasChunks(db: Reader, job: number): Promise<boolean> {
  return (await chunkAt.first(db, { job, start: 0 })) !== undefined;
}

export async function deleteChunks(trx: Writer, job: number): Promise<void> {
  await trx.deleteFrom('job_log_chunks').where('job_id', '=', job).execute();
}
