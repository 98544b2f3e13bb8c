import type { Migration } from '../platform/database/migrator.ts';

/** SSH certificate authorities of groups; each belongs to a single group. */
export const groupSshCertificates: Migration = {
  name: '0861-group-ssh-certificates',
  up: ({ id }) => [
    `create table group_ssh_certificates (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      title text not null,
      key text not null,
      fingerprint_sha256 text not null unique,
      created_at bigint not null
    )`,
    'create index group_ssh_certificates_namespace on group_ssh_certificates (namespace_id, id)',
  ],
};
