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

/** A template of a project. Licenses have more attributes. */
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

export const named = { key: required(param.string({ description: 'Name of the template' })) };
const filling = {
  project: param.string({ description: 'Project name for the license placeholder' }),
  fullname: param.string({ description: 'Name of the copyright holder; defaults to your own name' }),
};
export const licenseList = { popular: param.boolean({ description: 'Return only popular licenses' }) };
export const oneLicense = { ...named, ...filling };
export type FillingParams = ParamsOf<typeof filling>;

export const ofProject = { ...projectParam, type: required(param.oneOf(templateTypes)) };
export const oneOfProject = {
  ...ofProject,
  ...named,
  ...filling,
  source_template_project_id: param.integer({ description: 'ID of another project to read the template from' }),
};
