export { compare } from './compare.ts';
export { listContributors } from './contributors.ts';
export { getMergeBase } from './merge-base.ts';
