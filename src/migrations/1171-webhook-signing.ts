import type { Migration } from '../platform/database/migrator.ts';

/** Encrypted keys with which deliveries of webhooks are signed. */
export const webhookSigning: Migration = {
  name: '1171-webhook-signing',
  up: ({ text }) => [`alter table webhooks add column signing_token ${text}`],
};
