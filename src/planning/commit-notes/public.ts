export { readComment } from './comment.ts';
export { notedCommits } from './store.ts';
