export { treeChanges } from './checks/tree-changes.ts';
export {
  type MovedRef,
  type MoveResult,
  type OpenMergeRequest,
  type Push,
  type PushOptionsHandler,
  PushRefused,
} from './push.ts';
export { receivePush } from './receive.ts';
export { repairPushes } from './repair.ts';
export { moveRefs, moveRefsOrBadRequest } from './service.ts';
