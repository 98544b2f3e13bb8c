import type { Migration } from '../platform/database/migrator.ts';

/** Responses of SAML providers on their way to the browser that started the sign-in; assertions are used once too. */
export const samlSignIn: Migration = {
  name: '1160-saml-sign-in',
  up: () => [
    'alter table openid_spent_flows rename to spent_sign_ins',
    'drop index openid_spent_flows_expires_at',
    'create index spent_sign_ins_expires_at on spent_sign_ins (expires_at)',
    'create table saml_arrivals (digest text primary key, content text not null, expires_at bigint not null)',
    'create index saml_arrivals_expires_at on saml_arrivals (expires_at)',
  ],
};
