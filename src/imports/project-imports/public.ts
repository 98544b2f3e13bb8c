export { ImportFailed, isFinal, reasonOf } from './failures.ts';
export { presentFailure, presentImport } from './present.ts';
export {
  checkedHost,
  type ErrorFormat,
  formatProjectError,
  limitLookUps,
  lookUpMs,
  messageErrorFormat,
} from './refusals.ts';
export { ImportEnded, ImportRun, type ImportSource, type ImportStage } from './run.ts';
export {
  FailedRelation,
  HostRepositories,
  type HostRepositoriesEntity,
  type HostRepositoryEntity,
  ImportResult,
  type ImportResultEntity,
  ImportStatus,
  type ImportStatusEntity,
} from './schema.ts';
export {
  beginImport,
  cancelImport,
  enqueueImport,
  findTarget,
  type ImportRequest,
  importStatus,
  mayImportInto,
  projectProblem,
  readStats,
  requireSource,
  retryImport,
  startImport,
} from './service.ts';
export { failuresOf, findImport, forgetObjects } from './store.ts';
