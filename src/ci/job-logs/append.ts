import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import { HttpError, NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { type CiJobRow, lockJob, statusOf, transitionJob, updateJob } from '../jobs/public.ts';
import { executing } from '../states/public.ts';
import { refused, runningJob } from './running-job.ts';
import { appendChunk } from './store.ts';
import { updateInterval } from './update-interval.ts';

/** Runners send a megabyte at most. */
const maxBytes = 4 * 1024 * 1024;

interface Patch {
  readonly id: number;
  readonly token: string | undefined;
  /** `start-end`, of which the end is what the body says. */
  readonly contentRange: string | undefined;
  readonly debug: boolean;
  readonly body: Readable;
}

/** What a runner is told after it has sent a part of a log. */
export type LogHeaders = Readonly<Record<'job-status' | 'range' | 'x-gitlab-trace-update-interval', string>>;

function headersOf(job: CiJobRow): LogHeaders {
  return {
    'job-status': job.status,
    // How many bytes there are, not the last of them.
    range: `0-${job.trace_size}`,
    'x-gitlab-trace-update-interval': `${updateInterval(job.id)}`,
  };
}

/** Adds a part to the log of a job, where it goes on from what is there. */
export async function appendToLog(services: Services, patch: Patch): Promise<LogHeaders> {
  const job = await runningJob(services, patch.id, patch.token);
  const [, from] = /^(?:bytes )?(\d{1,15})-\d+/.exec(patch.contentRange ?? '') ?? [];
  if (from === undefined) throw new ParameterError('400 Missing header Content-Range');
  const received = await readAll(patch.body);
  const bytes = hideToken(received, patch.token ?? '');
  const start = Number(from);
  const outcome = await services.db.write(async (trx) => {
    const locked = await lockJob(trx, job.id);
    if (!locked) throw new NotFound();
    if (!executing.has(statusOf(locked))) return refused('Job is not processing on runner', locked);
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
      // Of what was sent, which is what the runner compares at the end.
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

/** Runners hide what is masked. The token of the job is known here too, and as many letters stand for it as it has. */
function hideToken(received: Buffer, token: string): Buffer {
  if (token === '' || !received.includes(token)) return received;
  const bytes = Buffer.from(received);
  for (let at = bytes.indexOf(token); at >= 0; at = bytes.indexOf(token, at + token.length)) {
    bytes.fill('x', at, at + token.length);
  }
  return bytes;
}
