export { notedCommits } from './store.ts';
