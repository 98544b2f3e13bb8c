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
  insertBatches,
  markRecorded,
  type PendingBatch,
  pendingBatches,
  releaseEvents,
  type WrittenBatch,
  waitingBatches,
} from './store.ts';
export type { EventSummary, StoredSummary } from './summary.ts';
