export { choicesOf, type NotificationScope } from './choices.ts';
export type { NotificationEvent } from './events.ts';
export {
  type Choice,
  isNotified,
  isNotifiedOfMove,
  isNotifiedOfPipeline,
  isNotifiedOfServiceAccount,
} from './notified.ts';
export { watchersOf, waysToWatch } from './store.ts';
