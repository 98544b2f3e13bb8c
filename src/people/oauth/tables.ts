import type { Generated, Selectable } from 'kysely';

/** An OAuth application. */
export interface OAuthApplicationsTable {
  id: Generated<number>;
  /** Client id; not secret. */
  uid: string;
  secret_digest: string;
  name: string;
  /** One URL per line. */
  redirect_uri: string;
  scopes: string;
  /** Whether the application can keep a secret and must present it. */
  confidential: number;
  /** Whether users are not asked for authorization. */
  trusted: number;
  /** Null for instance applications. */
  owner_id: number | null;
  created_at: number;
}

/** An authorization code that has not been redeemed. */
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
  /** Identifies all tokens of an authorization, which are revoked together if one of them is reused. */
  family: string;
  used: number;
  created_at: number;
  expires_at: number;
}

/** A pending device authorization. */
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
