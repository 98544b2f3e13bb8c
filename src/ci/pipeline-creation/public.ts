export { readInputs } from './inputs.ts';
export {
  configurationOf,
  type GivenVariable,
  hasConfiguration,
  type PipelineOrigin,
  type PipelineRequest,
  planPipeline,
} from './plan.ts';
export { pushedKey } from './pushed.ts';
export { findRef } from './ref.ts';
export { refRights } from './ref-rights.ts';
export { type Creation, type CreationOptions, createPipeline } from './service.ts';
export { type Start, type StartRequest, startOn, startWithVariables } from './start.ts';
export { maySetVariables } from './variable-rights.ts';
