import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

const PagesDeployment = entity('PagesDeployment', {
  created_at: timestamp(),
  url: Type.String(),
  path_prefix: Type.String(),
  root_directory: nullable(Type.String()),
});

export const PagesSettings = entity('PagesSettings', {
  url: Type.String(),
  is_unique_domain_enabled: Type.Boolean(),
  force_https: Type.Boolean(),
  deployments: Type.Array(PagesDeployment),
  primary_domain: nullable(Type.String()),
});
export type PagesSettingsEntity = Static<typeof PagesSettings>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };

export const change = {
  ...project,
  pages_unique_domain_enabled: param.boolean({ description: 'Whether the site has a unique domain' }),
  pages_https_only: param.boolean({ description: 'Whether the site is served only over HTTPS, if available' }),
  pages_primary_domain: orNull(
    param.string({ description: 'Host that all other addresses of the site redirect to; empty to unset' }),
  ),
};
export type ChangeParams = ParamsOf<typeof change>;
