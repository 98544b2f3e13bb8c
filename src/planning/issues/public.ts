export { mayRead as mayReadIssue } from './access.ts';
export { issueScope, listIssues } from './browse.ts';
export { wantedLabels } from './changes.ts';
export type { RequestOpener, RequestWish } from './commands/moves.ts';
export { createIssue } from './create.ts';
export type { EpicAssignment } from './epic.ts';
export type { FollowedThreads, ThreadFollower } from './follow-up.ts';
export {
  countImportedNote,
  findIssueByNumber,
  insertImportedIssue,
  linkImportedIssues,
  updateImportedIssue,
} from './import-store.ts';
export { type IssueScope, readableIssues } from './list-scope.ts';
export { milestoneFor } from './metadata.ts';
export { type IssueAddition, presentIssues, presentLabels } from './present.ts';
export { descriptionNotes, targetOf as issueTarget } from './records.ts';
export { Issue, IssueBasic, type IssueBasicEntity, type IssueEntity, LabelDetail } from './schema.ts';
export { type IssueState, presentIssue, readableIssue, stateOf } from './service.ts';
export { clearEpic, clearIterations, countIssuesOfMilestones, issuesById, setEpicOf } from './store.ts';
export type { IssueRow } from './tables.ts';
export { changeIssue } from './update.ts';
