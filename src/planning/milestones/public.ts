export { startedMilestones, upcomingMilestones } from './current-milestones-list.ts';
export { milestoneEventHandlers } from './followers.ts';
export { insertImportedMilestone } from './import-store.ts';
export { presentMilestone } from './present.ts';
export { Milestone, type MilestoneEntity, oneMilestone } from './schema.ts';
export { requireMilestone } from './service.ts';
export { type FoundMilestone, milestonesById, milestonesNamed, usableMilestone } from './store.ts';
export type { MilestoneRow } from './tables.ts';
export { findOrCopyMilestone, milestoneTransfer } from './transfer-store.ts';
