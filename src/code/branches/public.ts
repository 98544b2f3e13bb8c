export type { BranchUse } from './delete-merged.ts';
