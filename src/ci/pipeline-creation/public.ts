export { configurationOf, type GivenVariable, type PipelineRequest, planPipeline } from './plan.ts';
export { refRights } from './ref-rights.ts';
export { type Creation, createPipeline } from './service.ts';
export { maySetVariables } from './variable-rights.ts';
