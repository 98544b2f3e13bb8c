export {
  readableRecords,
  recordList,
  requestListOrFail,
  requestOrFail,
  type SourceList,
  UnreadableRecord,
} from './answers.ts';
export { importLfsObjects } from './large-files.ts';
export { type LinePosition, noteOnLine } from './lines.ts';
export { type NamedPerson, numberedPeople } from './numbered-people.ts';
export { walkPages } from './pages.ts';
export { type MeetingPlace, People, type SourceUser } from './people.ts';
export {
  addImportedNote,
  importIssue,
  importLabel,
  importMilestone,
  importMilestoneNamed,
  importRequest,
  labelIdsOf,
  labelTitle,
  type Noted,
  type SourceNote,
  type SourceRequest,
} from './records.ts';
export { chooseDefaultBranch, ensureBranch, importRepository, importTargets } from './repository.ts';
export {
  askSourceUser,
  epicAround,
  milestoneAround,
  type SourceKey,
  unassignedStatuses,
  updateSourceUser,
} from './store.ts';
export type { ImportSourceUserRow } from './tables.ts';
export {
  importedText,
  importedTime,
  importedTitle,
  type Moved,
  outsideCode,
  shortened,
  withSuggestions,
} from './text.ts';
export { importWiki } from './wiki.ts';
