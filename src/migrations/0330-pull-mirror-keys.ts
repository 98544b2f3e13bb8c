import type { Migration } from '../platform/database/migrator.ts';

/** The SSH key pair of a pull mirror. */
export const pullMirrorKeys: Migration = {
  name: '0330-pull-mirror-keys',
  up: () => [
    "alter table pull_mirrors add column auth_method text not null default 'password'",
    'alter table pull_mirrors add column encrypted_private_key text',
    'alter table pull_mirrors add column public_key text',
  ],
};
