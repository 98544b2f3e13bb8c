import Type, { type Static } from 'typebox';
import { notBlank, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const ProjectAlias = entity('ProjectAlias', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  name: Type.String(),
});
export type ProjectAliasEntity = Static<typeof ProjectAlias>;

export const oneAlias = { name: required(param.string()) };
/** `POST /project_aliases`. */
export const newAlias = {
  project_id: required(param.string({ description: 'ID or path of the project' })),
  name: notBlank(required(param.string({ description: 'As in `git clone git@host:NAME.git`' }))),
};
export type NewAliasParams = ParamsOf<typeof newAlias>;
