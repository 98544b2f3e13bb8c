export { readComment } from './say.ts';
export { notedCommits } from './store.ts';
