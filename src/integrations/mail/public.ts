export { failedJobs } from './failed-jobs.ts';
export { wantsMail } from './hearing.ts';
export { letterId, writeLetter } from './letter.ts';
