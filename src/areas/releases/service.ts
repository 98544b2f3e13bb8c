import './tag-deletion.ts';

export { addEvidence, changeRelease, removeRelease, requireRelease } from './change.ts';
export { checkTagRight, createRelease } from './create.ts';
export { releaseJobs } from './evidence.ts';
export { assetAddress, createLink, deleteLink, getLink, listLinks, updateLink } from './links.ts';
export { getRelease, latestAddress, listReleases } from './read.ts';
