import type { Generated, Selectable } from 'kysely';

/** A program that asks people to let it act for them. */
export interface OAuthApplicationsTable {
  id: Generated<number>;
  /** What it calls itself by: no secret. */
  uid: string;
  secret_digest: string;
  name: string;
  /** One address a line. */
  redirect_uri: string;
  scopes: string;
  /** It can keep its secret, and has to show it. */
  confidential: number;
  /** People are not asked. */
  trusted: number;
  /** Null: the instance's. */
  owner_id: number | null;
  created_at: number;
}

/** What somebody has agreed to, until the program has fetched it. */
export interface OAuthGrantsTable {
  id: Generated<number>;
  application_id: number;
  user_id: number;
  digest: string;
  redirect_uri: string;
  scopes: string;
  challenge: string | null;
  challenge_method: string | null;
  nonce: string | null;
  /** All tokens that come of one agreement: they end together when one of them is in two hands. */
  family: string;
  used: number;
  created_at: number;
  expires_at: number;
}

/** A device without a browser that waits for somebody to agree with another one. */
export interface OAuthDevicesTable {
  id: Generated<number>;
  application_id: number;
  user_id: number | null;
  digest: string;
  user_code: string;
  scopes: string;
  denied: number;
  polled_at: number | null;
  created_at: number;
  expires_at: number;
}

export type OAuthApplication = Selectable<OAuthApplicationsTable>;
export type OAuthGrant = Selectable<OAuthGrantsTable>;
export type OAuthDevice = Selectable<OAuthDevicesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    oauth_applications: OAuthApplicationsTable;
    oauth_grants: OAuthGrantsTable;
    oauth_devices: OAuthDevicesTable;
  }
}
