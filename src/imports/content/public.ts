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
export { walkPages } from './pages.ts';
export { type SourceUser, UserMapper, type UserMappingContext } from './people.ts';
export { type NamedPerson, numberedPeople } from './people-by-id.ts';
export {
  addImportedNote,
  type Commented,
  importIssue,
  importLabel,
  importMergeRequest,
  importMilestone,
  importMilestoneNamed,
  labelIdsOf,
  labelTitle,
  type Noteable,
  type SourceMergeRequest,
  type SourceNote,
} from './records.ts';
export { chooseDefaultBranch, ensureBranch, importRepository, importTargets } from './repository.ts';
export {
  findNearestEpic,
  findNearestMilestone,
  proposeReassignment,
  type SourceUserKey,
  unassignedStatuses,
  updateSourceUser,
} from './store.ts';
export type { ImportSourceUserRow } from './tables.ts';
export {
  importedText,
  importedTime,
  importedTitle,
  outsideCode,
  type RepositoryUrlChange,
  shortened,
  withSuggestions,
} from './text.ts';
export { importWiki } from './wiki.ts';
