import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { projectParam } from '../schema.ts';

export const Upload = entity('ProjectUpload', {
  id: Type.Integer(),
  alt: Type.String(),
  url: Type.String(),
  full_path: Type.String(),
  markdown: Type.String(),
});
export type UploadEntity = Static<typeof Upload>;

const Uploader = entity('Uploader', {
  id: Type.Integer(),
  username: Type.String(),
  public_email: nullable(Type.String()),
  name: Type.String(),
});

export const ListedUpload = entity('MarkdownUpload', {
  id: Type.Integer(),
  size: Type.Integer(),
  filename: Type.String(),
  created_at: timestamp(),
  uploaded_by: nullable(Uploader),
});
export type ListedUploadEntity = Static<typeof ListedUpload>;

export const fileSchema = Type.String({ format: 'binary' });

const number = { upload_id: required(param.integer()) };
const secret = { secret: required(param.string()), filename: required(param.string()) };
export const byNumberParams = { ...projectParam, ...number };
export const bySecretParams = { ...projectParam, ...secret };

export const groupParam = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
export const ofGroupByNumberParams = { ...groupParam, ...number };
export const ofGroupBySecretParams = { ...groupParam, ...secret };
