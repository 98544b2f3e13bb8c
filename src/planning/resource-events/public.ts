export { type Change, recordLabels, recordMilestone, recordState, recordWeight, type StateSource } from './store.ts';
