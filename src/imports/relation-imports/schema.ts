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

const path = param.string({ description: 'Full path of the project, or its number' });
const relation = param.oneOf(importedRelations);

export const relationImport = { path: required(path), relation: required(relation), file: required(param.file()) };

/** The same as the route declares it: a body of any size is read, and missed, after the caller is known. */
export const relationImportSent = { path, relation, file: param.file() };
