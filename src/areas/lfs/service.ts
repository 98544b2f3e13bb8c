export { foreignLock, hasForeignLocks, type LockView } from './lock-store.ts';
export { isLfsOid, lfsObject, missingLfsObjects, storeLfsObject } from './objects.ts';
export { linkAllObjects } from './store.ts';
export { lfsJobs } from './sweep.ts';
export { issueLfsToken, lfsAuthorization, lfsTokenSeconds, readLfsToken } from './token.ts';
