import type { Migration } from '../platform/database/migrator.ts';

/** Received e-mails, and how often a user has reset their incoming e-mail addresses. */
export const incomingMail: Migration = {
  name: '0710-incoming-mail',
  up: ({ id, text }) => [
    `create table received_mail (
      id ${id},
      source ${text} not null,
      identity ${text},
      file ${text} not null,
      sender ${text},
      queued integer not null default 0,
      answered integer not null default 0,
      received_at bigint not null
    )`,
    // A mailbox message is stored once and processed once, however often it is delivered.
    'create unique index received_mail_source on received_mail (source)',
    'create unique index received_mail_identity on received_mail (identity) where identity is not null',
    'create index received_mail_answered on received_mail (sender, received_at) where answered = 1',
    'create index received_mail_age on received_mail (received_at)',
    `create table mail_address_generations (
      user_id bigint primary key references users (id) on delete cascade,
      generation bigint not null
    )`,
  ],
};
