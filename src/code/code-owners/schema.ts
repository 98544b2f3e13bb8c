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
  id: required(param.string({ description: 'Number or URL-encoded path' })),
  file_path: notBlank(required(param.string({ description: 'URL-encoded' }))),
  ref: param.string({ description: 'A branch, tag or commit; the default branch unless told' }),
};
