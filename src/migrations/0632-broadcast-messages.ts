import type { Migration } from '../platform/database/migrator.ts';

/** Broadcast messages of administrators. */
export const broadcastMessages: Migration = {
  name: '0632-broadcast-messages',
  up: ({ id, text }) => [
    `create table broadcast_messages (
      id ${id},
      message ${text} not null,
      starts_at bigint not null,
      ends_at bigint not null,
      color text,
      font text,
      target_access_levels text not null,
      target_path ${text},
      broadcast_type text not null,
      dismissable integer not null,
      theme text not null
    )`,
    // Every page looks up the messages that have not ended.
    'create index broadcast_messages_ends_at on broadcast_messages (ends_at)',
  ],
};
