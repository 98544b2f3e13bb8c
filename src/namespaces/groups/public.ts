export { groupUrl, type OptionalAttributes, presentGroups, presentPublicGroup } from './present.ts';
export { removeSoon } from './removal/service.ts';
export { mayCreateTopLevelGroup } from './rules.ts';
export { Group, type GroupEntity, PublicGroupDetails, type PublicGroupEntity } from './schema.ts';
export { createGroup, updateGroup } from './service.ts';
export {
  fullProtection,
  fullProtectionNumber,
  type ProtectionDefaults,
  protectionLevels,
} from './settings/branch-protection.ts';
export { updateSettings as groupSettingParams } from './settings/schema.ts';
export { type GroupSettings, packSettings, settingsOfGroup } from './settings/values.ts';
export { leavesHierarchy } from './sharing/service.ts';
export { hierarchySizes } from './statistics/store.ts';
export { ownedAmong, updateGroupRow } from './store.ts';
export type { GroupChange } from './tables.ts';
