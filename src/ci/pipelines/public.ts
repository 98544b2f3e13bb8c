export { pipelineStatus } from './status.ts';
export { insertPipeline, lockPipeline, pipelinesOf, updatePipeline } from './store.ts';
export type { PipelineRow } from './tables.ts';
