export * as resourceEvents from './offered.ts';
export {
  type Change,
  deleteRecordsOf,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
  type StateSource,
} from './store.ts';
