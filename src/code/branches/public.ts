export type { BranchUse } from './delete-merged.ts';
export { createBranch } from './service.ts';
