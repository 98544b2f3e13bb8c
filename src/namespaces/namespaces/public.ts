export type { MinutesEntity } from './schema.ts';
