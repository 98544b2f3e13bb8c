import type { Migration } from '../platform/database/migrator.ts';

/** Project approval rules removed from single merge requests. */
export const removedApprovalRules: Migration = {
  name: '0730-removed-approval-rules',
  up: () => [
    `create table removed_approval_rules (
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      rule_id bigint not null references approval_rules (id) on delete cascade,
      primary key (merge_request_id, rule_id)
    )`,
    'create index removed_approval_rules_rule on removed_approval_rules (rule_id)',
  ],
};
