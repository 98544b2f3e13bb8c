import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

/** Creates a row for each subkey of the existing keys. */
function subkeysOf(engine: MigrationDialect['engine']): string {
  return engine === 'sqlite'
    ? `insert into gpg_key_subkeys (gpg_key_id, keyid)
       select k.id, s.value from gpg_keys k, json_each(k.subkeys) s order by k.id, s.key`
    : `insert into gpg_key_subkeys (gpg_key_id, keyid)
       select k.id, s.value from gpg_keys k, jsonb_array_elements_text(k.subkeys::jsonb) with ordinality s(value, place)
       order by k.id, s.place`;
}

/** X.509 issuers and certificates, subkeys of GPG keys, and cached signature verifications. */
export const signatures: Migration = {
  name: '0032-signatures',
  up: ({ id, engine }) => [
    `create table x509_issuers (
      id ${id},
      digest text not null,
      subject text not null,
      subject_key_identifier text not null,
      crl_url text,
      certificate text,
      created_at bigint not null
    )`,
    'create unique index x509_issuers_digest on x509_issuers (digest)',
    'create index x509_issuers_listed on x509_issuers (id) where certificate is not null and crl_url is not null',

    `create table x509_certificates (
      id ${id},
      issuer_id bigint not null references x509_issuers (id) on delete cascade,
      fingerprint text not null,
      subject text not null,
      subject_key_identifier text not null,
      email text not null,
      serial_number text not null,
      revoked_at bigint,
      created_at bigint not null
    )`,
    'create unique index x509_certificates_fingerprint on x509_certificates (fingerprint)',
    'create index x509_certificates_issuer on x509_certificates (issuer_id, id)',

    `create table gpg_key_subkeys (
      id ${id},
      gpg_key_id bigint not null references gpg_keys (id) on delete cascade,
      keyid text not null
    )`,
    'create index gpg_key_subkeys_keyid on gpg_key_subkeys (keyid, id)',
    'create index gpg_key_subkeys_key on gpg_key_subkeys (gpg_key_id)',
    subkeysOf(engine),

    `create table verified_signatures (
      oid text primary key,
      user_id bigint references users (id) on delete set null,
      key_fingerprint text not null,
      gpg_keyid text,
      gpg_user_name text,
      gpg_user_email text,
      created_at bigint not null
    )`,
    'create index verified_signatures_user on verified_signatures (user_id) where user_id is not null',
    'create index verified_signatures_key on verified_signatures (key_fingerprint)',
  ],
};
