export { createIssue } from './create.ts';
export { type IssueAddition, presentIssues } from './present.ts';
export { Issue, IssueBasic, type IssueEntity } from './schema.ts';
export { type IssueState, presentIssue, readableIssue } from './service.ts';
export { issuesById } from './store.ts';
export type { IssueRow } from './tables.ts';
export { changeIssue } from './update.ts';
