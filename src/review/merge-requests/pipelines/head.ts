import type { Services } from '../../../access/services.ts';
import type { PipelineRow } from '../../../ci/pipelines/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { addTodoForOwners } from '../changes/records.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { linkPipeline } from './store.ts';

/** Links a pipeline to the merge requests whose head it runs on, and triggers auto-merge when its status changes. */
export async function followPipeline(
  services: Services,
  trx: Writer,
  { pipeline, before }: { readonly pipeline: PipelineRow; readonly before: string },
): Promise<void> {
  const hasFailed = pipeline.status === 'failed' && before !== 'failed';
  for (const request of await linkPipeline(trx, pipeline)) {
    if (hasFailed) await addTodoForOwners(trx, request, 'build_failed');
    await enqueueAutoMerge(services, trx, request);
  }
}
