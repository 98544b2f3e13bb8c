export { type EntryChange, lastChanges } from './last-changes.ts';
export { limitLargeBlob } from './service.ts';
