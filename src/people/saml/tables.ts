/** Verified responses of providers, until the browser fetches the page that completes the sign-in. */
export interface SamlArrivalsTable {
  /** Digest of the ticket in that page's URL. */
  digest: string;
  content: string;
  expires_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    saml_arrivals: SamlArrivalsTable;
  }
}
