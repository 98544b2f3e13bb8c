export * as importedRequests from './imported/imported.ts';
export { listRequests } from './lists/browse.ts';
export { areThreadsResolved } from './mergeability/threads.ts';
export { presentRequests, type RequestView } from './present.ts';
export { MergeRequestBasic } from './schema.ts';
export { type RequestState, stateOf as stateOfRequest } from './service.ts';
export { hasMerged, requestsById } from './store.ts';
export { type MergeRequestRow, reviewStates } from './tables.ts';
