export { eventOperations } from './operations.ts';
export {
  type Change,
  deleteRecordsOf,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
  type StateSource,
} from './store.ts';
