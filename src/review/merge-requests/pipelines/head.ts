import type { Services } from '../../../access/services.ts';
import type { PipelineRow } from '../../../ci/pipelines/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { giveToDo } from '../changes/records.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { linkPipeline } from './store.ts';

/** A pipeline of the head of a merge request is the one that counts; when it gets on, what waited for it is looked at. */
export async function followPipeline(
  services: Services,
  trx: Writer,
  { pipeline, before }: { readonly pipeline: PipelineRow; readonly before: string },
): Promise<void> {
  const hasFailed = pipeline.status === 'failed' && before !== 'failed';
  for (const request of await linkPipeline(trx, pipeline)) {
    if (hasFailed) await giveToDo(trx, request, 'build_failed');
    await enqueueAutoMerge(services, trx, request);
  }
}
