export type { FlagRow } from './tables.ts';
