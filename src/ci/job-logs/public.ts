export { assertExecuting, jobTokenIn, runningJob } from './running-job.ts';
