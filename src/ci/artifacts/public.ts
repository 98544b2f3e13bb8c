export { stillThere } from './expiry.ts';
export { archivesOf, artifactOf, artifactsOfJobs, dotenvOf, insertArtifact } from './store.ts';
export type { JobArtifactRow } from './tables.ts';
export { reportFormat, reportName } from './types.ts';
