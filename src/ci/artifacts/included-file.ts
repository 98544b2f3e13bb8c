import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { currentJobs } from '../jobs/public.ts';
import { pipelinesById } from '../pipelines/public.ts';
import { stillThere } from './expiry.ts';
import { openEntry } from './service.ts';
import { artifactOf } from './store.ts';

/** The configuration that a job of a pipeline has written into its archive, for a child pipeline to be made of. */
export async function includedFile(
  services: Services,
  pipelineId: number,
  name: string,
  path: string,
  largest: number,
): Promise<string | undefined> {
  const { read } = services.db;
  const job = (await currentJobs(read, pipelineId)).find((one) => one.name === name && one.kind === 'build');
  const archive = job && (await artifactOf(read, job.id, 'archive'));
  const [pipeline] = await pipelinesById(read, [pipelineId]);
  if (!job || !archive || !stillThere(archive, pipeline?.locked === 1)) return undefined;
  const entry = await openEntry(services, { job, archive }, path.replace(/^\/+/, '')).catch((error: unknown) => {
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  if (!entry) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  // What an archive says of the size of a file need not be true.
  for await (const part of entry.stream as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largest) {
      entry.stream.destroy();
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
