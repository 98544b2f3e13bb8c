export { type ArchiveCache, archiveCache } from './cache.ts';
export { archivePage } from './page.ts';
export { type ArchiveCall, sendArchive } from './service.ts';
