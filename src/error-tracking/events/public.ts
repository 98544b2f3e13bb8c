export * from './event.ts';
export {
  batchesOf,
  type EventLocation,
  type NewEvent,
  packEvent,
  pastBatches,
  readEvent,
  removeBatches,
  sweepBatches,
  writeBatch,
} from './service.ts';
export {
  countFailure,
  failedEvents,
  insertBatches,
  markFailed,
  markFailedRecorded,
  markRecorded,
  type PendingBatch,
  pendingBatches,
  releaseEvents,
  type WrittenBatch,
  waitingBatches,
} from './store.ts';
export { type EventSummary, readSummaries, type StoredSummary } from './summary.ts';
