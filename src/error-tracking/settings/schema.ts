import Type, { type Static } from 'typebox';
import { notBlank, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const ErrorTrackingSetting = entity('ErrorTrackingProjectSetting', {
  active: Type.Boolean(),
  project_name: nullable(Type.String()),
  sentry_external_url: nullable(Type.String()),
  api_url: nullable(Type.String()),
  integrated: Type.Boolean(),
});
export type ErrorTrackingSettingEntity = Static<typeof ErrorTrackingSetting>;

export const ClientKey = entity('ErrorTrackingClientKey', {
  id: Type.Integer(),
  active: Type.Boolean(),
  public_key: Type.String(),
  sentry_dsn: Type.String(),
});
export type ClientKeyEntity = Static<typeof ClientKey>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const oneKey = { ...project, key_id: required(param.integer()) };

export const setting = {
  ...project,
  active: notBlank(required(param.boolean())),
  integrated: required(param.boolean()),
};
export const change = { ...project, active: notBlank(required(param.boolean())), integrated: param.boolean() };
