import Type, { type Static } from 'typebox';
import { projectParam } from '../../namespaces/projects/public.ts';
import { type ParamsOf, param } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const ExportState = entity('ProjectExportStatus', {
  id: Type.Integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
  export_status: Type.String(),
  _links: Type.Optional(Type.Object({ api_url: Type.String(), web_url: Type.String() })),
});
export type ExportStateEntity = Static<typeof ExportState>;

export const Accepted = entity('ExportAccepted', { message: Type.String() });

export const newExport = {
  ...projectParam,
  description: param.string({ description: 'Replaces the project description' }),
  upload: param.hash({
    url: param.string({ description: 'URL to upload the export to' }),
    http_method: param.oneOf(['PUT', 'POST']),
  }),
};
export type NewExportParams = ParamsOf<typeof newExport>;
