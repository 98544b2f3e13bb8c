import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import { HttpError, NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { type CiJobRow, lockJob, statusOf, transitionJob, updateJob } from '../jobs/public.ts';
import { executing } from '../states/public.ts';
import { jobForbidden, runningJob } from './running-job.ts';
import { appendChunk } from './store.ts';
import { updateInterval } from './update-interval.ts';

/** Maximum size of one request; runners send at most 1 MiB. */
const maxBytes = 4 * 1024 * 1024;

interface Patch {
  readonly id: number;
  readonly token: string | undefined;
  /** `start-end`; the end is ignored in favour of the body length. */
  readonly contentRange: string | undefined;
  readonly debug: boolean;
  readonly body: Readable;
}

/** Response headers after a runner appended to a log. */
export type LogHeaders = Readonly<Record<'job-status' | 'range' | 'x-gitlab-trace-update-interval', string>>;

function headersOf(job: CiJobRow): LogHeaders {
  return {
    'job-status': job.status,
    // The size of the log, not the offset of its last byte.
    range: `0-${job.trace_size}`,
    'x-gitlab-trace-update-interval': `${updateInterval(job.id)}`,
  };
}

/** Appends to the log of a job; the part must start at the current size. */
export async function appendToLog(services: Services, patch: Patch): Promise<LogHeaders> {
  const job = await runningJob(services, patch.id, patch.token);
  const [, from] = /^(?:bytes )?(\d{1,15})-\d+/.exec(patch.contentRange ?? '') ?? [];
  if (from === undefined) throw new ParameterError('400 Missing header Content-Range');
  const received = await readAll(patch.body);
  const bytes = maskToken(received, patch.token ?? '');
  const start = Number(from);
  const outcome = await services.db.write(async (trx) => {
    const locked = await lockJob(trx, job.id);
    if (!locked) throw new NotFound();
    if (!executing.has(statusOf(locked))) return jobForbidden('Job is not processing on runner', locked);
    if (locked.trace_size !== start) {
      return new HttpError(416, { error: '416 Range Not Satisfiable' }, headersOf(locked));
    }
    if (start + bytes.length > services.config.maxJobLog) {
      await transitionJob(services, trx, job.id, 'drop', { failureReason: 'trace_size_exceeded' });
      return new HttpError(403, { error: '403 Forbidden' }, { 'job-status': 'failed' });
    }
    if (bytes.length === 0) return locked;
    await appendChunk(trx, job.id, start, bytes);
    return updateJob(trx, job.id, {
      trace_size: start + bytes.length,
      // Checksum of the received bytes, which the runner compares at the end.
      trace_crc: crc32(received, locked.trace_crc),
      updated_at: Date.now(),
      ...(start === 0 && patch.debug ? { debug_trace: 1 } : {}),
    });
  });
  if (outcome instanceof HttpError) throw outcome;
  return headersOf(outcome);
}

async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Masks the job token, which is known here, with as many characters; masking other variables is up to the runner. */
function maskToken(received: Buffer, token: string): Buffer {
  if (token === '' || !received.includes(token)) return received;
  const bytes = Buffer.from(received);
  for (let at = bytes.indexOf(token); at >= 0; at = bytes.indexOf(token, at + token.length)) {
    bytes.fill('x', at, at + token.length);
  }
  return bytes;
}
