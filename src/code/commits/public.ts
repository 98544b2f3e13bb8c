export { mayPush, noPushText, requirePush } from './branch/push-access.ts';
export type { LastPipelineFinder } from './detail.ts';
export { type FileAction, readAuthor } from './files/actions.ts';
export { contentField, encodingField, modeField, requiredField, textField } from './files/fields.ts';
export { type Fields, withLargeBody } from './files/large-body.ts';
export { type Committing, commitFiles, type FileCommit } from './files/service.ts';
export type { MergedRequest, MergedRequestFinder, MergeRequestFinder } from './merge-requests.ts';
export { presentCommit } from './present.ts';
export { CommitBasic, CommitDetail, type CommitEntity, type LastPipelineEntity } from './schema.ts';
