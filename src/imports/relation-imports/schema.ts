import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';
import { importedRelations } from './tables.ts';

export const RelationImport = entity('RelationImport', {
  id: Type.Integer(),
  project_path: Type.String(),
  relation: Type.String(),
  status: Type.String({ description: 'created, started, finished, failed or stale' }),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type RelationImportEntity = Static<typeof RelationImport>;

const path = param.string({ description: 'Full path or ID of the project' });
const relation = param.oneOf(importedRelations);

export const relationImport = { path: required(path), relation: required(relation), file: required(param.file()) };

/** Parameters as declared to the route: the body is read and checked only after authentication, whatever its size. */
export const relationImportSent = { path, relation, file: param.file() };
