export type { MergeRequestLookup } from './merge-requests.ts';
