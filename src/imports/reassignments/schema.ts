import Type, { type Static } from 'typebox';
import { notBlank, param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const groupPlace = {
  id: required(param.string({ description: 'ID or URL-encoded path of a top-level group' })),
};
export const reassignmentFile = { ...groupPlace, file: required(param.file()) };
export const reassignment = {
  ...groupPlace,
  source_user_id: required(param.integer()),
  username: notBlank(required(param.string({ description: 'Username of the user to reassign to' }))),
};
export const oneReassignment = { id: required(param.integer()) };

export const SourceUser = entity('ImportSourceUser', {
  id: Type.Integer(),
  namespace_id: Type.Integer(),
  import_type: Type.String(),
  source_hostname: Type.String(),
  source_user_identifier: Type.String(),
  source_username: Type.String(),
  source_name: Type.String(),
  status: Type.String(),
  placeholder_user_id: Type.Integer(),
});
export type SourceUserEntity = Static<typeof SourceUser>;

/** A rejected row of the file. */
const Refused = entity('RefusedReassignment', { row: Type.Integer(), error: Type.String() });
export const FileTaken = entity('ReassignmentFileTaken', { message: Type.String(), failures: Type.Array(Refused) });
export type FileTakenEntity = Static<typeof FileTaken>;
