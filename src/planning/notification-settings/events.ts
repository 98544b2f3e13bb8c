/** The levels of which people choose one; `global` is for groups and projects, where it is what holds elsewhere. */
export const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
export type NotificationLevel = (typeof levels)[number];

/** What can be told of, where the level is `custom`. */
export const notificationEvents = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'approver',
  'service_account_failed_pipeline',
  'service_account_success_pipeline',
  'service_account_fixed_pipeline',
  'new_epic',
] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

/** Told of until somebody says otherwise. */
const wantedAnyway: ReadonlySet<NotificationEvent> = new Set(['failed_pipeline', 'fixed_pipeline', 'moved_project']);

export type ChosenEvents = Partial<Record<NotificationEvent, boolean>>;

/** Whether somebody who chooses event by event hears of one. */
export const isWanted = (chosen: ChosenEvents, event: NotificationEvent): boolean =>
  chosen[event] ?? wantedAnyway.has(event);

/** Every event of a place, with what was chosen for it; projects have no epics. */
export function eventsShown(chosen: ChosenEvents, place: 'everywhere' | 'group' | 'project') {
  const known = notificationEvents.filter((event) => place !== 'project' || event !== 'new_epic');
  return Object.fromEntries(known.map((event) => [event, isWanted(chosen, event)]));
}
