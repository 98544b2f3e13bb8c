/** What other areas may ask of members. */
export { addMember, type Grant } from './add.ts';
export { isLevelOf, mayGrant } from './grants.ts';
export { openTo } from './group-rules.ts';
export { memberJobs } from './jobs.ts';
export { getMember, listAllMembers } from './list.ts';
