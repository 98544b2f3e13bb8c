/** Notification levels; `global`, which inherits, is only available for groups and projects. */
export const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
export type NotificationLevel = (typeof levels)[number];

/** Events that can be selected with level `custom`. */
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

/** Events that are enabled by default. */
const enabledByDefault: ReadonlySet<NotificationEvent> = new Set([
  'failed_pipeline',
  'fixed_pipeline',
  'moved_project',
]);

export type ChosenEvents = Partial<Record<NotificationEvent, boolean>>;

/** Whether an event is enabled at level `custom`. */
export const isWanted = (chosen: ChosenEvents, event: NotificationEvent): boolean =>
  chosen[event] ?? enabledByDefault.has(event);

/** All events of a group or project with their state; projects have no epics. */
export function eventsShown(chosen: ChosenEvents, place: 'everywhere' | 'group' | 'project') {
  const known = notificationEvents.filter((event) => place !== 'project' || event !== 'new_epic');
  return Object.fromEntries(known.map((event) => [event, isWanted(chosen, event)]));
}
