export { choicesOf, type NotificationScope } from './choices.ts';
export type { NotificationEvent } from './events.ts';
export { watchersOf, waysToWatch } from './store.ts';
export { type Choice, isTold, isToldOfMove, isToldOfPipeline, isToldOfServiceAccount } from './told.ts';
