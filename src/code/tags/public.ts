export type { ReleaseNotesFinder } from './present.ts';
export { createTag, taggedCommit } from './service.ts';
