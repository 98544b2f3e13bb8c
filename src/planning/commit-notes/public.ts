export { readComment } from './comment.ts';
export { ensureCommitId, notedCommits } from './store.ts';
