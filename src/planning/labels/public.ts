export { readColor, textColor } from './color.ts';
export type { LabelCounter, LabelCounts } from './counts.ts';
export { isOfTitle, labelFilters } from './labelled-list.ts';
export { type Labelled, labelRankUpdater } from './rank-store.ts';
export { checkLabelCount, cleanTitles, findLabels, labelsToSet, usableLabel } from './resolve.ts';
export {
  bestPriority,
  ensureLabel,
  labelsById,
  labelsOfEach,
  type ShownLabel,
  setPriority,
  titlesById,
} from './store.ts';
export type { LabelRow } from './tables.ts';
export { findOrCopyLabel, labelInGroup, labelTransfer } from './transfer-store.ts';
