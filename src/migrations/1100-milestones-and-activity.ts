import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for the order of milestones, in which those without a due date come last, and for notes about activity. */
export const milestonesAndActivity: Migration = {
  name: '1100-milestones-and-activity',
  up: () => [
    'drop index milestones_project_due',
    `create index milestones_project_due on milestones
      (project_id, (case when due_date is null then 1 else 0 end), due_date, id desc, state)`,
    // Comments, which are most notes, are not in it and so cost nothing.
    'create index notes_activity on notes (noteable_type, noteable_id, id) where system = 1',
  ],
};
