import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { currentJobs } from '../jobs/public.ts';
import { pipelinesById } from '../pipelines/public.ts';
import { isAvailable } from './expiry.ts';
import { openEntry } from './service.ts';
import { artifactOf } from './store.ts';

/**
 * Reads a generated configuration from a job's archive, for a child pipeline. Undefined when it does not exist or is
 * too large.
 */
export async function includedFile(
  services: Services,
  pipelineId: number,
  name: string,
  path: string,
  maxBytes: number,
): Promise<string | undefined> {
  const { read } = services.db;
  const job = (await currentJobs(read, pipelineId)).find((job) => job.name === name && job.kind === 'build');
  const archive = job && (await artifactOf(read, job.id, 'archive'));
  const [pipeline] = await pipelinesById(read, [pipelineId]);
  if (!job || !archive || !isAvailable(archive, pipeline?.locked === 1)) return undefined;
  const entry = await openEntry(services, { job, archive }, path.replace(/^\/+/, '')).catch((error: unknown) => {
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  if (!entry) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  // The size stated in the archive cannot be trusted.
  for await (const part of entry.stream as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) {
      entry.stream.destroy();
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
