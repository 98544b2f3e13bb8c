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

/** For administrators: without the certificate, but with the project. */
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

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const named = { ...project, domain: required(param.string({ description: 'Domain name' })) };

const changing = {
  auto_ssl_enabled: param.boolean({
    description: 'Stored for compatibility; this server does not obtain certificates',
  }),
  user_provided_certificate: param.any({ description: 'Alias of `certificate`' }),
  user_provided_key: param.any({ description: 'Alias of `key`' }),
  certificate: param.any({ description: 'PEM certificate with intermediates, as text or file; empty to remove it' }),
  key: param.any({ description: 'PEM private key, as text or file; empty to remove it' }),
};
export const creation = {
  ...project,
  domain: notBlank(required(param.string({ description: 'Domain name, e.g. www.example.com' }))),
  ...changing,
  auto_ssl_enabled: withDefault(changing.auto_ssl_enabled, false),
};
export const change = { ...named, ...changing };
export type CreationParams = ParamsOf<typeof creation>;
export type ChangeParams = ParamsOf<typeof change>;
