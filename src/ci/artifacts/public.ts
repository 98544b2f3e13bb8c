export { type Finder, maxEntries, openFinder } from './archive/directory.ts';
export { type Archive, type ArchiveEntry, openArchiveFile, openStoredArchive } from './archive/reader.ts';
export { contentTypeOf } from './content-type.ts';
export { isAvailable } from './expiry.ts';
export { archivesOf, artifactOf, artifactsOfJobs, dotenvOf, insertArtifact } from './store.ts';
export type { JobArtifactRow } from './tables.ts';
export { reportFormat, reportName } from './types.ts';
