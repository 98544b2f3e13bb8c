export { evidencePage } from './evidence/page.ts';
export { insertLink as insertReleaseLink } from './links/store.ts';
export { type MilestoneNames, replaceMilestones as replaceReleaseMilestones } from './planning.ts';
export {
  findRelease,
  insertRelease,
  linksAndEvidencesOf as partsOfReleases,
  reassignReleases,
  releaseById,
  releasedTags,
  updateRelease,
} from './store.ts';
export type { ReleaseRow } from './tables.ts';
