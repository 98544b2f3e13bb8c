export { choicesOf, type NotificationScope, watchersOf } from './choices.ts';
export type { NotificationEvent } from './events.ts';
export { isTold } from './told.ts';
