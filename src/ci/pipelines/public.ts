export { isArchived } from './archival.ts';
export { PipelineBasic, presentBasic } from './basic.ts';
export { mayReadPipelines, readingGate, signedInReadingGate } from './gate.ts';
export { recentPipelines, rootPipeline, withAncestors } from './hierarchy-store.ts';
export {
  descendantPipelines,
  finalCoverage,
  successfulPipelines,
  unlockAllButLatest,
  unlockOlder,
} from './latest-store.ts';
export { pipelineFilterParams, pipelineList } from './list.ts';
export { presentPipeline } from './present.ts';
export { Pipeline, type PipelineEntity } from './schema.ts';
export {
  insertImportedPipeline,
  insertPipeline,
  insertPipelineVariables,
  lockPipeline,
  type NewPipeline,
  newestOfSchedule,
  nextPipelineIid,
  olderPipelines,
  pipelineOfProject,
  pipelinesById,
  pipelinesOf,
  pipelineVariables,
  updatePipeline,
} from './store.ts';
export type { PipelineRow } from './tables.ts';
