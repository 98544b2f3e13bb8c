export { cancelJob, cancelJobs, mirrorBridge, retryJobs } from './bulk.ts';
export { updateCoverage } from './coverage.ts';
export { jobInputValues, needsOf, plannedJob, playedJobVariables, statusOf } from './job-row.ts';
export { pageWithoutTotal } from './list.ts';
export { presentBridges, presentJobs, presentRunnerJobs } from './present.ts';
export { processPipeline, reconcilePipeline, startJob } from './processing.ts';
export { runnerJobs } from './runner-list.ts';
export { Bridge, Job, type JobEntity, RunnerJob, type RunnerJobEntity } from './schema.ts';
export {
  countActiveJobs,
  currentJobs,
  insertJobs,
  type JobChange,
  jobById,
  jobByToken,
  jobOfProject,
  jobsNamed,
  lockJob,
  managerFeatures,
  type NewJob,
  stopsGracefully,
  updateJob,
} from './store.ts';
export type { CiJobRow } from './tables.ts';
export { type OpenTrace, openTrace } from './trace.ts';
export {
  type Clearance,
  createRetry,
  scheduleProcessing,
  type TransitionOptions,
  transitionJob,
} from './transition.ts';
