export { mayRead as mayReadIssue } from './access.ts';
export { createIssue } from './changes/create.ts';
export type { EpicAssignment } from './changes/epic.ts';
export { filterAssignableUsers, milestoneFor } from './changes/metadata.ts';
export { descriptionNotes, targetOf as issueTarget } from './changes/records.ts';
export { checkDescription, checkTitle, mergeCommandChanges, requestedLabels } from './changes/rules.ts';
export { changeIssue } from './changes/update.ts';
export { withMetadata } from './commands/context.ts';
export type { IssueBranchRequest, RequestOpener } from './commands/moves.ts';
export type { FollowedThreads, ThreadFollower } from './follow-up.ts';
export {
  countImportedNote,
  findIssueByNumber,
  insertImportedIssue,
  linkImportedIssues,
  updateImportedIssue,
} from './imported/store.ts';
export { issueScope, listIssues } from './lists/browse.ts';
export { type IssueScope, readableIssues } from './lists/list-scope.ts';
export { numberOrWord } from './lists/number-or-word.ts';
export type { LongTexts } from './moving/long-texts.ts';
export { createRewriter } from './moving/texts.ts';
export { noteableIssue } from './noteable.ts';
export { type IssueAddition, presentIssues, presentLabels } from './present.ts';
export { Issue, IssueBasic, type IssueBasicEntity, type IssueEntity, LabelDetail } from './schema.ts';
export { type IssueState, presentIssue, readableIssue, stateOf } from './service.ts';
export { clearEpic, clearIterations, countIssuesOfMilestones, issuesById, setEpicOf } from './store.ts';
export type { IssueRow } from './tables.ts';
