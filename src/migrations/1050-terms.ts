import type { Migration } from '../platform/database/migrator.ts';

/** Terms of use: their versions, acceptances, and the last version accepted by each user. */
export const termsOfUse: Migration = {
  name: '1050-terms',
  up: ({ id, text }) => [
    `alter table users add column accepted_terms ${text}`,
    `create table terms (
      id ${id},
      digest ${text} not null unique,
      text ${text} not null,
      created_at bigint not null
    )`,
    `create table terms_acceptances (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      terms_id bigint not null references terms (id),
      ip ${text} not null,
      accepted_at bigint not null,
      unique (user_id, terms_id)
    )`,
    'create index terms_acceptances_by_terms on terms_acceptances (terms_id)',
  ],
};
