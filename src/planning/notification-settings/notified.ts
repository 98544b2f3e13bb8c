import { type ChosenEvents, isWanted, type NotificationEvent, type NotificationLevel } from './events.ts';

/** What one person chose for one place, with what they left to larger places filled in. */
export interface Choice {
  readonly level: Exclude<NotificationLevel, 'global'>;
  readonly events: ChosenEvents;
}

/** How somebody stands to what happened. */
export interface Standing {
  /** They take part in it, or have asked to hear of it. */
  readonly participates: boolean;
  /** Their name stands in the text. */
  readonly mentioned: boolean;
}

/** Not even those who watch are told of these, unless they take part: they come too often. */
const quiet: ReadonlySet<NotificationEvent> = new Set([
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
  'approver',
]);

/** Whether somebody is told of an event; of what happens to epics most is none that could be chosen. */
export function isNotified(
  { level, events }: Choice,
  event: NotificationEvent | undefined,
  standing: Standing,
): boolean {
  const { participates, mentioned } = standing;
  switch (level) {
    case 'disabled':
      return false;
    case 'mention':
      return mentioned;
    case 'watch':
      return participates || mentioned || event === undefined || !quiet.has(event);
    case 'participating':
      return participates || mentioned;
    case 'custom':
      return participates || mentioned || (event !== undefined && events[event] === true);
  }
}

/** Whether a member of a project is told that it was moved: what they have cloned depends on it. */
export function isNotifiedOfMove({ level, events }: Choice): boolean {
  if (level === 'custom') return isWanted(events, 'moved_project');
  return level === 'watch' || level === 'participating';
}

/** Whether somebody is told how a pipeline ended that a service account has started: who asked for that alone. */
export function isNotifiedOfServiceAccount({ level, events }: Choice, end: 'failed' | 'fixed' | 'success'): boolean {
  return level === 'custom' && isWanted(events, `service_account_${end}_pipeline`);
}

/** Whether whoever started a pipeline is told how it ended; that it went well is for those who ask for it. */
export function isNotifiedOfPipeline(
  { level, events }: Choice,
  event: 'failed_pipeline' | 'fixed_pipeline' | 'success_pipeline',
): boolean {
  if (level === 'custom') return isWanted(events, event);
  return (level === 'watch' || level === 'participating') && event !== 'success_pipeline';
}
