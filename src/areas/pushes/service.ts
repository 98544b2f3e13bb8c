export { moveRefs, moveRefsPlainly } from './move.ts';
export { type MovedRef, type MoveResult, type Push, PushRefused } from './push.ts';
export { receivePush } from './receive.ts';
export { type OpenMergeRequest, onOpenMergeRequest, onPush } from './registry.ts';
export { pushJobs, repairPushes } from './repair.ts';
