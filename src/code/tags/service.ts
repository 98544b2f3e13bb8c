export { createTag } from './create.ts';
export { deleteTag } from './delete.ts';
export { listTags } from './list.ts';
export { presentTag, requireTag, taggedCommit } from './read.ts';
export { signatureOfTag } from './signature.ts';
