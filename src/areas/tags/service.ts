export { createTag, type NewTag } from './create.ts';
export { deleteTag } from './delete.ts';
export { listTags, type TagQuery } from './list.ts';
export { presentTag, requireTag, taggedCommit } from './read.ts';
export { signatureOfTag } from './signature.ts';
export { compareVersions } from './version-order.ts';
