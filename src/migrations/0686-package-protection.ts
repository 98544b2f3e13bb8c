import type { Migration } from '../platform/database/migrator.ts';

/** Package protection rules, which restrict publishing and deletion by role. */
export const packageProtection: Migration = {
  name: '0686-package-protection',
  up: ({ id, text }) => [
    `create table package_protection_rules (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      package_type text not null,
      pattern ${text} not null,
      push_level integer,
      delete_level integer,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    `create unique index package_protection_rules_pattern
      on package_protection_rules (project_id, package_type, pattern)`,
    'create index package_protection_rules_of_project on package_protection_rules (project_id, id)',
  ],
};
