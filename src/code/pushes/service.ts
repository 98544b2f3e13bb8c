export { moveRefs, moveRefsPlainly } from './move.ts';
export { type MovedRef, type MoveResult, type OpenMergeRequest, type Push, PushRefused } from './push.ts';
export { receivePush } from './receive.ts';
export { pushJobs, repairPushes } from './repair.ts';
