export { mayPromote, promoteToEpic } from './promote.ts';
export { Epic, type EpicEntity } from './schema.ts';
export type { EpicRow } from './tables.ts';
