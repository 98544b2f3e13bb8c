export { effectiveSettings, type NotificationScope } from './choices.ts';
export type { NotificationEvent } from './events.ts';
export {
  type EffectiveSetting,
  isNotified,
  isNotifiedOfMove,
  isNotifiedOfPipeline,
  isNotifiedOfServiceAccount,
} from './notified.ts';
export { watchersOf, waysToWatch } from './store.ts';
