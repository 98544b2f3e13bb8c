export { needsOf, plannedJob, statusOf } from './job-row.ts';
export { processPipeline, settlePipeline } from './processing.ts';
export { cancelJob, cancelJobs, retryJobs } from './several.ts';
export {
  currentJobs,
  insertJobs,
  type JobChange,
  jobById,
  jobOfProject,
  jobsWarn,
  lockJob,
  type NewJob,
  updateJob,
} from './store.ts';
export type { CiJobRow } from './tables.ts';
export { attemptAgain, scheduleProcessing, type TransitionOptions, transitionJob } from './transition.ts';
