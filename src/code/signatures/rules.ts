/** How far a signature can be trusted. */
export type VerificationStatus =
  | 'verified'
  | 'verified_system'
  | 'unverified'
  | 'same_user_different_email'
  | 'other_user'
  | 'unverified_key'
  | 'unknown_key'
  | 'multiple_signatures'
  | 'revoked_key'
  | 'unverified_author_email';

/** Who a commit or tag says made it, and when. */
export interface Signer {
  readonly email: string;
  /** Seconds since 1970. */
  readonly seconds: number;
}

/** What is known of a PGP signature. */
export interface PgpFacts {
  /** How many signatures there are; undefined when they cannot be read. */
  readonly signatures: number | undefined;
  /** The key here that made it. */
  readonly key?: {
    readonly revoked: boolean;
    /** The addresses that the key claims, in lower case. */
    readonly emails: ReadonlySet<string>;
    /** The addresses that its owner has proven to own, in lower case. */
    readonly owned: ReadonlySet<string>;
  };
  readonly valid: boolean;
  readonly committerEmail: string;
}

/** The verdict on a PGP signature. A key counts as its owner's only by an address that they own. */
export function pgpStatus({ signatures, key, valid, committerEmail }: PgpFacts): VerificationStatus {
  if (signatures === undefined) return 'unverified';
  if (signatures > 1) return 'multiple_signatures';
  if (!key) return 'unknown_key';
  if (key.revoked) return 'revoked_key';
  const proven = key.emails.intersection(key.owned);
  if (proven.size === 0) return 'unverified_key';
  if (!valid) return 'unverified';
  const email = committerEmail.toLowerCase();
  if (proven.has(email)) return 'verified';
  return key.owned.has(email) ? 'same_user_different_email' : 'other_user';
}

/** What is known of an SSH signature. */
export interface SshFacts {
  readonly valid: boolean;
  /** Made by the server itself. */
  readonly bySystem: boolean;
  /** The key here that made it. */
  readonly key?: { readonly userId: number | null };
  /** Who has proven to own the committer's address. */
  readonly committerId: number | undefined;
}

/** The verdict on an SSH signature. */
export function sshStatus({ valid, bySystem, key, committerId }: SshFacts): VerificationStatus {
  if (!valid) return 'unverified';
  if (bySystem) return 'verified_system';
  if (!key) return 'unknown_key';
  return committerId !== undefined && key.userId === committerId ? 'verified' : 'other_user';
}

/** What is known of a signature by certificate. */
export interface X509Facts {
  readonly signer: Signer;
  /** The certificate that made it; none when it is not good. */
  readonly certificate?: {
    /** A trusted root vouches for it. */
    readonly trusted: boolean;
    readonly revoked: boolean;
    /** It says where its revocation would be listed. */
    readonly listed: boolean;
    /** In lower case. */
    readonly emails: ReadonlySet<string>;
    readonly signedAt: Date | undefined;
  };
  /** Somebody has proven to own the signer's address. */
  readonly owned: boolean;
}

/** The verdict on a signature by certificate. One made before the commit it covers was not made for it. */
export function x509Status({ signer, certificate, owned }: X509Facts): VerificationStatus {
  if (!certificate?.signedAt || !certificate.trusted || certificate.revoked || !certificate.listed) return 'unverified';
  if (certificate.signedAt.getTime() < signer.seconds * 1000) return 'unverified';
  return owned && certificate.emails.has(signer.email.toLowerCase()) ? 'verified' : 'unverified';
}

/** What is known of a commit or tag that was verified once. */
export interface RememberedFacts {
  /** The verdict today. */
  readonly status: VerificationStatus;
  /** The addresses of whose key it was; undefined when they are gone. */
  readonly owned: ReadonlySet<string> | undefined;
  readonly signer: Signer;
}

/** What becomes of a verdict: it stays when the key is deleted, but not when the address changes hands. */
export function rememberedStatus({ status, owned, signer }: RememberedFacts): VerificationStatus {
  if (status === 'verified' || status === 'verified_system') return status;
  if (owned && !owned.has(signer.email.toLowerCase())) return 'unverified_author_email';
  return status === 'unknown_key' ? 'verified' : status;
}
