import type { Services } from '../../../access/services.ts';
import type { PipelineRow } from '../../../ci/pipelines/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { linkPipeline } from './store.ts';

/** A pipeline of the head of a merge request is the one that counts; when it gets on, what waited for it is looked at. */
export async function followPipeline(
  services: Services,
  trx: Writer,
  { pipeline }: { readonly pipeline: PipelineRow },
): Promise<void> {
  for (const request of await linkPipeline(trx, pipeline)) await enqueueAutoMerge(services, trx, request);
}
