export { choicesOf, type NotificationScope } from './choices.ts';
export type { NotificationEvent } from './events.ts';
export { watchersOf, waysToWatch } from './store.ts';
export { isTold, isToldOfPipeline } from './told.ts';
