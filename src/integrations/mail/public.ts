export { allowsMail } from './audience.ts';
export { composeEmail, messageId } from './compose.ts';
export { failedJobs } from './failed-jobs.ts';
