import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';

/** Settings for an application. */
export const Client = entity('FeatureFlagsClient', {
  api_url: Type.String(),
  instance_id: Type.String(),
});
export type ClientEntity = Static<typeof Client>;

const UnleashFeature = entity('UnleashFeature', {
  name: Type.String(),
  description: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  strategies: Type.Array(Type.Object({ name: Type.String(), parameters: Type.Record(Type.String(), Type.String()) })),
});
export type UnleashFeatureEntity = Static<typeof UnleashFeature>;

export const UnleashFeatures = entity('UnleashFeatures', {
  version: Type.Integer(),
  features: Type.Array(UnleashFeature),
});
export type UnleashFeaturesEntity = Static<typeof UnleashFeatures>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const unleash = {
  project_id: required(param.string({ description: 'ID of the project' })),
  instance_id: param.string({ description: 'Client token; alternatively sent in the `UNLEASH-INSTANCEID` header' }),
  app_name: param.string({ description: 'Environment; alternatively sent in the `UNLEASH-APPNAME` header' }),
};
