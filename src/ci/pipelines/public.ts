export { PipelineBasic, presentBasic } from './basic.ts';
export { readingGate, signedInReadingGate } from './gate.ts';
export {
  insertPipeline,
  insertPipelineVariables,
  lockPipeline,
  type NewPipeline,
  olderPipelines,
  pipelineOfProject,
  pipelinesById,
  pipelinesOf,
  pipelineVariables,
  updatePipeline,
} from './store.ts';
export type { PipelineRow } from './tables.ts';
