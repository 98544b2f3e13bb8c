export { banFromGroup } from './bans/service.ts';
export { isBanned } from './bans/store.ts';
export { type DirectoryRole, noDirectoryRole, setDirectoryRoles, setProviderRole } from './directory.ts';
export { checkDirectoryLock } from './directory-lock.ts';
export { addBotMember, addGroupOwner, ensureGroupOwner } from './membership.ts';
export { checkMemberAdditions, type Domains, mayGrant } from './rules.ts';
export { addProjectOwner, directMember, directRole, insertMember } from './store.ts';
