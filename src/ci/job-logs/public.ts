export { jobTokenIn, runningJob } from './running-job.ts';
