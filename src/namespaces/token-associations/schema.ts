import Type from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';
import { BasicProject } from '../projects/public.ts';

const level = nullable(Type.Integer());
const { id, description, name, name_with_namespace, path, path_with_namespace, created_at, ...rest } =
  BasicProject.properties;

/** Groups and projects accessible with a token. */
export const Associations = entity('TokenAssociations', {
  groups: Type.Array(
    Type.Object({
      id: Type.Integer(),
      web_url: Type.String(),
      name: Type.String(),
      parent_id: level,
      organization_id: Type.Integer(),
      access_levels: Type.Integer(),
      visibility: Type.String(),
    }),
  ),
  projects: Type.Array(
    Type.Object({
      id,
      description,
      name,
      name_with_namespace,
      path,
      path_with_namespace,
      created_at,
      access_levels: Type.Object({ project_access_level: level, group_access_level: level }),
      visibility: rest.visibility,
      web_url: rest.web_url,
      namespace: rest.namespace,
    }),
  ),
});
