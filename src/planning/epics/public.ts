export { insertImportedEpic, putImportedIssue } from './import-store.ts';
export { noteableEpic } from './noteable.ts';
export { routeEpicUrl } from './other-path.ts';
export { moveUnder } from './parent.ts';
export { mayPromote, promoteToEpic } from './promote.ts';
export { Epic, type EpicEntity } from './schema.ts';
export { findEpic } from './store.ts';
export type { EpicRow } from './tables.ts';
export { defaultColor as defaultEpicColor } from './write.ts';
