export { BranchAccess, TagAccess } from './access.ts';
export { getBranchRule, protectBranch, unprotectBranch, updateBranchRule } from './branches/service.ts';
export { effectivePushRule } from './push-rules/store.ts';
export { branchAccess, protectDefaultBranch, tagAccess } from './service.ts';
export { type SharedBranches, sharedBranches } from './shared-branches.ts';
export { codeOwnerBranches } from './store.ts';
export type { PushRuleRow } from './tables.ts';
export { protectTag } from './tags/service.ts';
