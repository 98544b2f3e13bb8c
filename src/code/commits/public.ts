export type { LastPipelineFinder } from './last-pipeline.ts';
export type { LastPipelineEntity } from './schema.ts';
