import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const SecureFile = entity('SecureFile', {
  id: Type.Integer(),
  name: Type.String(),
  checksum: Type.String(),
  checksum_algorithm: Type.String(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()),
  metadata: nullable(Type.Object({})),
  file_extension: nullable(Type.String()),
});
export type SecureFileEntity = Static<typeof SecureFile>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneFile = { ...project, secure_file_id: required(param.integer()) };
export const newFile = {
  ...project,
  name: required(param.string({ description: 'Unique in the project' })),
  file: required(param.file({ description: 'Maximum size: 5 MB' })),
};
export type NewFileParams = ParamsOf<typeof newFile>;
