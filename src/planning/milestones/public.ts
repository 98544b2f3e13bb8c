export { milestonesById } from './store.ts';
export type { MilestoneRow } from './tables.ts';
