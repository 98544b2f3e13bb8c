export { type RedundantJob, redundantJobs } from './auto-cancel.ts';
export { bridgeStatus } from './bridge.ts';
export { compositeStatus, hasWarnings, type StatusPart } from './composite.ts';
export { nextSteps, type ProcessedJob, type ProcessingEvent, type ProcessingStep } from './processing.ts';
export {
  allowsFailure,
  type Failure,
  isRetryable,
  type RetryCandidate,
  type RetryRule,
  retriesAutomatically,
} from './retry.ts';
export {
  active,
  blocked,
  cancelable,
  completed,
  executing,
  finished,
  isStatus,
  type Status,
  statuses,
  stopped,
} from './statuses.ts';
export { enqueuedPipeline, type JobEvent, sourcesOf, type TransitionFacts, transition } from './transitions.ts';
