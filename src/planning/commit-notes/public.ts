export { readComment } from './comment.ts';
export { noteableCommit } from './noteable.ts';
export { ensureCommitId, notedCommits } from './store.ts';
