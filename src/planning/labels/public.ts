export { textColor } from './color.ts';
export type { LabelCounter, LabelCounts } from './counts.ts';
export type { LabelRow } from './tables.ts';
