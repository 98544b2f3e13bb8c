export { foreignLock, hasForeignLocks } from './lock-store.ts';
export { lfsObject, missingLfsObjects, storeLfsObject } from './objects.ts';
export { linkAllObjects } from './store.ts';
export { lfsJobs } from './sweep.ts';
export { issueLfsToken, lfsAuthorization, lfsTokenSeconds, readLfsToken } from './token.ts';
