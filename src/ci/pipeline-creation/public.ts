export { readInputs } from './inputs.ts';
export {
  configurationOf,
  hasConfiguration,
  type PipelineOrigin,
  type PipelineRequest,
  type PipelineVariableInput,
  planPipeline,
} from './plan.ts';
export { pushedPipelineKey } from './pushed.ts';
export { findRef } from './ref.ts';
export { refRights } from './ref-rights.ts';
export { type Creation, type CreationOptions, createPipeline } from './service.ts';
export { pipelineInputs, type Start, type StartRequest, startPipelineOnRef, startWithVariables } from './start.ts';
export { maySetVariables } from './variable-rights.ts';
