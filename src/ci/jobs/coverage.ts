import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type PipelineRow, updatePipeline } from '../pipelines/public.ts';
import { meanCoverage } from './store.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The coverage of a pipeline changed. */
    'pipeline.covered': { readonly pipeline: PipelineRow };
  }
}

/** Stores the coverage of a locked pipeline, after that of a job or external status was reported. */
export async function updateCoverage(services: Services, trx: Writer, pipelineId: number): Promise<void> {
  const coverage = await meanCoverage(trx, pipelineId);
  if (coverage === null) return;
  const pipeline = await updatePipeline(trx, pipelineId, { coverage });
  await services.announce(trx, 'pipeline.covered', { pipeline });
}
