export { type FileAction, readAuthor } from './actions.ts';
export { type Fields, withLargeBody } from './body.ts';
export { type Committing, commitFiles, type FileCommit } from './commit-files.ts';
export { contentField, encodingField, flagField, requiredField, textField } from './fields.ts';
export type {
  MergedRequest,
  MergedRequestFinder,
  MergeRequestFinder,
} from './merge-requests.ts';
export { moveBranch } from './move-branch.ts';
export { mayPush, noPushText, requirePush } from './push-right.ts';
