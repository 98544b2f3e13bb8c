export { readSignedObject } from './read.ts';
export { CommitSignature, type CommitSignatureEntity, TagSignature, type TagSignatureEntity } from './schema.ts';
export { verifySignature } from './service.ts';
