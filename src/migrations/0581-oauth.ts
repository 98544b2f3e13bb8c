import type { Migration } from '../platform/database/migrator.ts';

/** OAuth applications with their grants and tokens. */
export const oauth: Migration = {
  name: '0581-oauth',
  up: ({ id, text }) => [
    `create table oauth_applications (
      id ${id},
      uid ${text} not null unique,
      secret_digest ${text} not null,
      name ${text} not null,
      redirect_uri ${text} not null,
      scopes ${text} not null,
      confidential integer not null,
      trusted integer not null,
      owner_id bigint references users (id) on delete cascade,
      created_at bigint not null
    )`,
    'create index oauth_applications_owner on oauth_applications (owner_id, id)',

    `create table oauth_grants (
      id ${id},
      application_id bigint not null references oauth_applications (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      digest ${text} not null unique,
      redirect_uri ${text} not null,
      scopes ${text} not null,
      challenge ${text},
      challenge_method ${text},
      nonce ${text},
      family ${text} not null,
      used integer not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index oauth_grants_application on oauth_grants (application_id)',
    'create index oauth_grants_user on oauth_grants (user_id)',
    'create index oauth_grants_expires on oauth_grants (expires_at)',

    `create table oauth_devices (
      id ${id},
      application_id bigint not null references oauth_applications (id) on delete cascade,
      user_id bigint references users (id) on delete cascade,
      digest ${text} not null unique,
      user_code ${text} not null unique,
      scopes ${text} not null,
      denied integer not null,
      polled_at bigint,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index oauth_devices_application on oauth_devices (application_id)',
    'create index oauth_devices_user on oauth_devices (user_id) where user_id is not null',
    'create index oauth_devices_expires on oauth_devices (expires_at)',

    `create table oauth_tokens (
      id ${id},
      application_id bigint not null references oauth_applications (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      digest ${text} not null unique,
      refresh_digest ${text} not null unique,
      scopes ${text} not null,
      family ${text} not null,
      revoked integer not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index oauth_tokens_application on oauth_tokens (application_id)',
    'create index oauth_tokens_user on oauth_tokens (user_id, application_id) where revoked = 0',
    'create index oauth_tokens_family on oauth_tokens (family)',
    'create index oauth_tokens_created on oauth_tokens (created_at)',
  ],
};
