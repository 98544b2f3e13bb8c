export { BranchAccess, TagAccess } from './access.ts';
export { ProtectedBranch, type ProtectedBranchEntity } from './branches/schema.ts';
export {
  getBranchRule,
  presentBranchRules,
  protectBranch,
  unprotectBranch,
  updateBranchRule,
} from './branches/service.ts';
export { isInvitedGroup } from './grant-store.ts';
export { pushRuleFlags, pushRuleRegexes, putPushRule } from './push-rules/service.ts';
export { effectivePushRule } from './push-rules/store.ts';
export { branchAccess, protectDefaultBranch, tagAccess } from './service.ts';
export { type SharedBranches, sharedBranches } from './shared-branches.ts';
export { branchRulesById, findBranchRule, findTagRule, type ProtectedNames, protectedNames } from './store.ts';
export type { PushRuleRow } from './tables.ts';
export { protectTag } from './tags/service.ts';
