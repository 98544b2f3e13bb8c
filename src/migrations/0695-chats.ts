import type { Migration } from '../platform/database/migrator.ts';

/** Chat integrations as webhooks: their settings, and at most one of each kind per project or group. */
export const chats: Migration = {
  name: '0695-chats',
  up: () => [
    'alter table webhooks add column kind text',
    'alter table webhooks add column settings text',
    'alter table webhooks add column active bigint not null default 1',
    'create unique index webhooks_chat_of_project on webhooks (project_id, kind) where kind is not null',
    'create unique index webhooks_chat_of_group on webhooks (namespace_id, kind) where kind is not null',
  ],
};
