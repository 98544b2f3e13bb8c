import type { Migration } from '../platform/database/migrator.ts';

const targets = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Epic: 'epics',
  Snippet: 'snippets',
  Note: 'notes',
} as const;

// Notes first, because reactions to deleted notes have to be deleted as well.
const placed = [
  ['notes', 'noteable'],
  ['award_emoji', 'awardable'],
  ['todos', 'target'],
  ['subscriptions', 'target'],
  ['timelogs', 'target'],
  ['resource_label_events', 'target'],
  ['resource_state_events', 'target'],
  ['resource_milestone_events', 'target'],
  ['resource_weight_events', 'target'],
] as const;

/**
 * Deletes orphaned rows of deleted objects: reactions, resource events, and rows added concurrently with the deletion.
 */
export const nothingOnWhatIsGone: Migration = {
  name: '0900-nothing-on-what-is-gone',
  up: () =>
    placed.flatMap(([table, column]) =>
      Object.entries(targets).map(
        ([type, place]) => `delete from ${table} where ${column}_type = '${type}'
          and not exists (select 1 from ${place} as place where place.id = ${table}.${column}_id)`,
      ),
    ),
};
