export { banFromGroup } from './bans/service.ts';
export { isBanned } from './bans/store.ts';
export { setDirectoryRoles } from './directory.ts';
export { refuseLocked } from './directory-lock.ts';
export { addBotMember, addGroupOwner, ensureGroupOwner } from './membership.ts';
export { type Domains, openTo } from './rules.ts';
export { addProjectOwner, directMember, insertMember, ownRole } from './store.ts';
