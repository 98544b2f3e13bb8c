export { insertImportedStatuses } from './store.ts';
export type { NewCommitStatus } from './tables.ts';
