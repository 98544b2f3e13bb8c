export { type IssueAddition, presentIssues } from './present.ts';
export { Issue, IssueBasic, type IssueEntity } from './schema.ts';
export { changeIssue, createIssue, type IssueState, presentIssue, readableIssue } from './service.ts';
export { issuesById } from './store.ts';
export type { IssueRow } from './tables.ts';
