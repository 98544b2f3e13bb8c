import type { Migration } from '../platform/database/migrator.ts';

/** Approval rules from CODEOWNERS files: their section and roles. */
export const codeOwnerRules: Migration = {
  name: '0320-code-owner-rules',
  up: () => [
    'alter table approval_rules add column section text',
    `create table approval_rule_levels (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      access_level bigint not null,
      primary key (rule_id, access_level)
    )`,
  ],
};
