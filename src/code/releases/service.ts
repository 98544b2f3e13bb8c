import './tag-deletion.ts';

export { addEvidence, changeRelease, removeRelease } from './change.ts';
export { createRelease } from './create.ts';
export { releaseJobs } from './evidence.ts';
export { assetAddress, createLink, deleteLink, getLink, listLinks, updateLink } from './links.ts';
export { getRelease, latestAddress, listReleases, requireRelease } from './read.ts';
export { checkTagRight } from './rules.ts';
