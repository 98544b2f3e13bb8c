/** What other areas may ask of members. */
export { openTo } from './group-rules.ts';
export { memberJobs } from './jobs.ts';
