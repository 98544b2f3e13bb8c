export { attributesOf, type ExportContext, largeFiles, repositoryBundle, uploads } from './archive.ts';
export {
  bundle,
  collectingPeople,
  compressed,
  type EntryContext,
  formatVersion,
  lineBytes,
  linesEntry,
  text,
} from './entries.ts';
export * as exportedRows from './relation-store.ts';
export { contributors, relations } from './relations/list.ts';
export { boards, labels, milestones } from './relations/planning.ts';
export { type BatchRange, groupByParent, idsOf, iterateRows, type Line, type Relation } from './relations/walk.ts';
