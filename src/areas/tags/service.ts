export { createTag, type NewTag } from './create.ts';
export { deleteTag } from './delete.ts';
export { listTags, type TagQuery } from './list.ts';
export { presentTag, requireTag, taggedCommit, tagSignature } from './read.ts';
export { compareVersions } from './version-order.ts';
