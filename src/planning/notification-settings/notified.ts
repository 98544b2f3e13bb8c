import { type ChosenEvents, isWanted, type NotificationEvent, type NotificationLevel } from './events.ts';

/** The effective setting of a user for a project or group, with inherited values resolved. */
export interface EffectiveSetting {
  readonly level: Exclude<NotificationLevel, 'global'>;
  readonly events: ChosenEvents;
}

/** A user's relation to an event. */
export interface RecipientRelation {
  /** Participant or subscriber. */
  readonly participates: boolean;
  /** Mentioned in the text. */
  readonly mentioned: boolean;
}

/** Events that are too frequent to notify users at level `watch` who do not participate. */
const quiet: ReadonlySet<NotificationEvent> = new Set([
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
  'approver',
]);

/** Whether a user is notified of an event; undefined for the many epic events that cannot be selected. */
export function isNotified(
  { level, events }: EffectiveSetting,
  event: NotificationEvent | undefined,
  standing: RecipientRelation,
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

/** Whether a project member is notified of a transfer, which changes the URL of their clone. */
export function isNotifiedOfMove({ level, events }: EffectiveSetting): boolean {
  if (level === 'custom') return isWanted(events, 'moved_project');
  return level === 'watch' || level === 'participating';
}

/** Whether a user is notified about a pipeline of a service account: only if explicitly enabled. */
export function isNotifiedOfServiceAccount(
  { level, events }: EffectiveSetting,
  end: 'failed' | 'fixed' | 'success',
): boolean {
  return level === 'custom' && isWanted(events, `service_account_${end}_pipeline`);
}

/** Whether the user who started a pipeline is notified of its result; success only if explicitly enabled. */
export function isNotifiedOfPipeline(
  { level, events }: EffectiveSetting,
  event: 'failed_pipeline' | 'fixed_pipeline' | 'success_pipeline',
): boolean {
  if (level === 'custom') return isWanted(events, event);
  return (level === 'watch' || level === 'participating') && event !== 'success_pipeline';
}
