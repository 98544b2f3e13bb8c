import Type, { type Static } from 'typebox';
import { notBlank, type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

const common = {
  domain: Type.String(),
  url: Type.String(),
};
const state = {
  verified: Type.Boolean(),
  verification_code: Type.String(),
  enabled_until: nullable(timestamp()),
  auto_ssl_enabled: Type.Boolean(),
};

/** Without the certificate itself, and with the project: for administrators. */
export const BasicPagesDomain = entity('PagesDomainBasic', {
  ...common,
  project_id: Type.Integer(),
  ...state,
  certificate_expiration: Type.Optional(Type.Object({ expired: Type.Boolean(), expiration: timestamp() })),
});
export type BasicPagesDomainEntity = Static<typeof BasicPagesDomain>;

export const PagesDomain = entity('PagesDomain', {
  ...common,
  ...state,
  certificate: Type.Optional(
    Type.Object({
      subject: Type.String(),
      expired: Type.Boolean(),
      certificate: Type.String(),
      certificate_text: Type.String(),
    }),
  ),
});
export type PagesDomainEntity = Static<typeof PagesDomain>;

export const project = { id: required(param.string({ description: 'Number or URL-encoded path of the project' })) };
export const named = { ...project, domain: required(param.string({ description: 'The domain' })) };

const changing = {
  auto_ssl_enabled: param.boolean({ description: 'Kept and shown; no certificates are fetched by this server' }),
  user_provided_certificate: param.any({ description: 'The same as `certificate`' }),
  user_provided_key: param.any({ description: 'The same as `key`' }),
  certificate: param.any({ description: 'PEM, as a text or a file, the intermediates after it; empty for none' }),
  key: param.any({ description: 'PEM, as a text or a file; empty for none' }),
};
export const creation = {
  ...project,
  domain: notBlank(required(param.string({ description: 'The domain, such as www.example.com' }))),
  ...changing,
  auto_ssl_enabled: withDefault(changing.auto_ssl_enabled, false),
};
export const change = { ...named, ...changing };
export type CreationParams = ParamsOf<typeof creation>;
export type ChangeParams = ParamsOf<typeof change>;
