export { checkChanges } from './check.ts';
export { moveRefs, moveRefsPlainly } from './move.ts';
export {
  type MovedRef,
  type MoveResult,
  type Protocol,
  type Push,
  PushRefused,
  type PushRequest,
  type RefChange,
} from './push.ts';
export { receivePush } from './receive.ts';
export { type OpenMergeRequest, onOpenMergeRequest, onPush, type PushSubscriber } from './registry.ts';
export { pushJobs, repairPushes } from './repair.ts';
