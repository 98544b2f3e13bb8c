export { createBranch } from './create.ts';
export { deleteBranch } from './delete.ts';
export { branchJobs, enqueueDeleteMerged } from './delete-merged.ts';
export type { BranchUse } from './in-use.ts';
export { listBranches } from './list.ts';
export { protectLegacy, unprotectLegacy } from './protect.ts';
export { presentBranch, requireBranch } from './read.ts';
