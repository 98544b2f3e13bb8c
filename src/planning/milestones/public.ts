export { presentMilestone } from './present.ts';
export { Milestone, type MilestoneEntity } from './schema.ts';
export { type FoundMilestone, milestonesById, usableMilestone } from './store.ts';
export type { MilestoneRow } from './tables.ts';
