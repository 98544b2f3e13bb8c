import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for stars and deploy keys in list order, and for the projects a user contributed to. */
export const starsKeysAndContributions: Migration = {
  name: '0507-stars-keys-and-contributions',
  up: () => [
    'drop index stars_project',
    'create index stars_project on stars (project_id, created_at, user_id)',
    'create index ssh_keys_deploy on ssh_keys (id, deploy) where deploy > 0',
    'create index ssh_keys_deploy_kind on ssh_keys (deploy, id) where deploy > 0',
    'create index events_contributions on events (author_id, project_id, action) where project_id is not null',
  ],
};
