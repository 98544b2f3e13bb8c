import Type, { type Static } from 'typebox';
import { notBlank, param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const FileOwners = entity('FileOwners', {
  section: Type.String(),
  pattern: Type.String(),
  optional: Type.Boolean(),
  approvals_required: Type.Integer(),
  users_and_groups: Type.Array(Type.String()),
  emails: Type.Array(Type.String()),
  roles: Type.Array(Type.Integer()),
});
export type FileOwnersEntity = Static<typeof FileOwners>;

export const file = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  file_path: notBlank(required(param.string({ description: 'URL-encoded path of the file' }))),
  ref: param.string({ description: 'Branch, tag or commit; defaults to the default branch' }),
};
