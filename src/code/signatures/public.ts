export { readSigned } from './read.ts';
export { CommitSignature, type CommitSignatureEntity, TagSignature, type TagSignatureEntity } from './schema.ts';
export { judgeSignature } from './service.ts';
