import Type, { type Static } from 'typebox';
import { projectParam } from '../../namespaces/projects/public.ts';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const TemplateName = entity('TemplateName', { key: Type.String(), name: Type.String() });
export type TemplateNameEntity = Static<typeof TemplateName>;

export const Template = entity('Template', { name: Type.String(), content: Type.String() });
export type TemplateEntity = Static<typeof Template>;

export const LicenseTemplate = entity('LicenseTemplate', {
  key: Type.String(),
  name: Type.String(),
  nickname: nullable(Type.String()),
  popular: Type.Boolean(),
  html_url: nullable(Type.String()),
  source_url: nullable(Type.String()),
  description: Type.String(),
  conditions: Type.Array(Type.String()),
  permissions: Type.Array(Type.String()),
  limitations: Type.Array(Type.String()),
  content: Type.String(),
});
export type LicenseEntity = Static<typeof LicenseTemplate>;

/** A template of a project: a license says more of itself. */
export const AnyTemplate = Type.Union([LicenseTemplate, Template]);

export const templateTypes = [
  'dockerfiles',
  'gitignores',
  'gitlab_ci_ymls',
  'licenses',
  'issues',
  'merge_requests',
] as const;
export type TemplateType = (typeof templateTypes)[number];

export const named = { key: required(param.string({ description: 'What the template is called' })) };
const filling = {
  project: param.string({ description: 'Name of the project, where a license leaves room for it' }),
  fullname: param.string({ description: 'Whose copyright it is; your own name unless given' }),
};
export const licenseList = { popular: param.boolean({ description: 'Only the licenses that most people choose' }) };
export const oneLicense = { ...named, ...filling };
export type FillingParams = ParamsOf<typeof filling>;

export const ofProject = { ...projectParam, type: required(param.oneOf(templateTypes)) };
export const oneOfProject = {
  ...ofProject,
  ...named,
  ...filling,
  source_template_project_id: param.integer({ description: 'Another project to take the template from' }),
};
