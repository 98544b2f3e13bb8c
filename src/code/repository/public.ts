export { cachedResponse } from './answer-cache.ts';
export { generatedIn } from './diffs/generated-files.ts';
export { presentDiff, presentDiffStat } from './diffs/present.ts';
export { Diff, type DiffEntity, DiffStat, type DiffStatEntity } from './diffs/schema.ts';
export { acquireReadSlot, type ProjectCall, runExpensive, type SignedInProjectCall } from './expensive-reads.ts';
export { pageGate, pushGate, repositoryGate, signedInPushGate, signedInRepositoryGate } from './gates.ts';
export { enforceRateLimit } from './rate.ts';
export { rawTypeOf } from './raw-type.ts';
export { byDate } from './refs/dates.ts';
export { type NamedRef, namedRefs, readNamedRef } from './refs/named-refs.ts';
export { pageOfRefs, type RefPagination } from './refs/page.ts';
export { peelTag } from './refs/peel-tag.ts';
export { type RefType, splitRefAndPath } from './refs/ref-and-path.ts';
export { searchRefs } from './refs/search.ts';
export {
  committerOf,
  defaultBranch,
  encodePath,
  keepAround,
  projectUrl,
  repositoryOf,
  requireCommit,
  resolveCommit,
} from './service.ts';
