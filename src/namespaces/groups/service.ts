/** What other areas may ask of groups. */
export { groupJobs } from './jobs.ts';
export { groupUrl } from './present.ts';
export { hierarchySizes } from './statistics.ts';
