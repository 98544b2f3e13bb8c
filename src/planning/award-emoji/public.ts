export * as awards from './facade.ts';
export { AwardEmoji, type AwardEntity } from './schema.ts';
export type { Awardable } from './service.ts';
export { insertAward } from './store.ts';
export type { AwardRow } from './tables.ts';
export { type Vote, voteCounter } from './votes.ts';
