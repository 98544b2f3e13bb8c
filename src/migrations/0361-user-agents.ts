import type { Migration } from '../platform/database/migrator.ts';

/** User agent and IP address with which issues and snippets were created, for spam reports. */
export const userAgents: Migration = {
  name: '0361-user-agents',
  up: () => [
    `create table user_agent_details (
      issue_id bigint references issues (id) on delete cascade,
      snippet_id bigint references snippets (id) on delete cascade,
      user_agent text not null,
      ip_address text not null
    )`,
    'create unique index user_agent_details_issue on user_agent_details (issue_id) where issue_id is not null',
    'create unique index user_agent_details_snippet on user_agent_details (snippet_id) where snippet_id is not null',
  ],
};
