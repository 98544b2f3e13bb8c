export { attributesOf, type ExportContext, largeFiles, repositoryBundle, uploads } from './archive.ts';
export {
  bundle,
  collectingPeople,
  compressed,
  formatVersion,
  lineBytes,
  type Spool,
  spooled,
  text,
} from './entries.ts';
export * as exportedRows from './relation-store.ts';
export { contributors, relations } from './relations/list.ts';
export { boards, labels, milestones } from './relations/planning.ts';
export { all, grouped, idsOf, type Line, type Part, type Relation } from './relations/walk.ts';
