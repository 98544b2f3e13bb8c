export * as resourceEvents from './offered.ts';
export { type Change, recordLabels, recordMilestone, recordState, recordWeight, type StateSource } from './store.ts';
