/** What other areas may ask of groups. */
export { createGroup, type NewGroup } from './create.ts';
export { detailOf, presentDetail } from './detail.ts';
export { groupJobs } from './jobs.ts';
export { groupUrl, presentGroups, presentPublicGroup } from './present.ts';
export { Group, type GroupEntity, PublicGroupDetails, type PublicGroupEntity } from './schema.ts';
export { type GroupSettings, settingsOfGroup } from './settings.ts';
export { hierarchySizes } from './statistics.ts';
