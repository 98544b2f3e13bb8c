export { foreignLock, hasForeignLocks, locksInProjects } from './locks/store.ts';
export { lfsPointers } from './pointers.ts';
export { downloadLfsObjects, LfsFailed, type LfsPointer, uploadLfsObjects } from './remote.ts';
export { lfsObject, missingLfsObjects, storeLfsObject } from './service.ts';
export { linkAllObjects } from './store.ts';
export { issueLfsToken, lfsAuthorization, lfsTokenSeconds, readLfsToken } from './token.ts';
