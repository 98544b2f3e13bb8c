/** The verification status of a signature. */
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

/** The committer or tagger of a signed object. */
export interface Signer {
  readonly email: string;
  /** Unix time in seconds. */
  readonly seconds: number;
}

/** The inputs for the status of a PGP signature. */
export interface PgpFacts {
  /** Number of signatures; undefined if they cannot be parsed. */
  readonly signatures: number | undefined;
  /** The matching stored key. */
  readonly key?: {
    readonly revoked: boolean;
    /** E-mail addresses in the key's user IDs, in lower case. */
    readonly emails: ReadonlySet<string>;
    /** Confirmed e-mail addresses of the key's owner, in lower case. */
    readonly owned: ReadonlySet<string>;
  };
  readonly valid: boolean;
  readonly committerEmail: string;
}

/** Determines the status of a PGP signature. A key only counts with an address its owner has confirmed. */
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

/** The inputs for the status of an SSH signature. */
export interface SshFacts {
  readonly valid: boolean;
  /** Whether the server itself made it. */
  readonly bySystem: boolean;
  /** The matching stored key. */
  readonly key?: { readonly userId: number | null };
  /** The owner of the committer's e-mail address. */
  readonly committerId: number | undefined;
}

/** Determines the status of an SSH signature. */
export function sshStatus({ valid, bySystem, key, committerId }: SshFacts): VerificationStatus {
  if (!valid) return 'unverified';
  if (bySystem) return 'verified_system';
  if (!key) return 'unknown_key';
  return committerId !== undefined && key.userId === committerId ? 'verified' : 'other_user';
}

/** The inputs for the status of an X.509 signature. */
export interface X509Facts {
  readonly signer: Signer;
  /** The signing certificate; absent if the signature is invalid. */
  readonly certificate?: {
    /** Whether a trusted root issued it. */
    readonly trusted: boolean;
    readonly revoked: boolean;
    /** Whether it names a revocation list. */
    readonly listed: boolean;
    /** In lower case. */
    readonly emails: ReadonlySet<string>;
    readonly signedAt: Date | undefined;
  };
  /** Whether the signer's e-mail address belongs to a user. */
  readonly owned: boolean;
}

/** Determines the status of an X.509 signature. It must not be older than the commit. */
export function x509Status({ signer, certificate, owned }: X509Facts): VerificationStatus {
  if (!certificate?.signedAt || !certificate.trusted || certificate.revoked || !certificate.listed) return 'unverified';
  if (certificate.signedAt.getTime() < signer.seconds * 1000) return 'unverified';
  return owned && certificate.emails.has(signer.email.toLowerCase()) ? 'verified' : 'unverified';
}

/** The inputs for the status of a previously verified object. */
export interface RememberedFacts {
  /** The current result. */
  readonly status: VerificationStatus;
  /** Confirmed addresses of the key's owner at the time; undefined if the user was deleted. */
  readonly owned: ReadonlySet<string> | undefined;
  readonly signer: Signer;
}

/** A signature stays verified when its key is deleted, but not when the address changes owners. */
export function rememberedStatus({ status, owned, signer }: RememberedFacts): VerificationStatus {
  if (status === 'verified' || status === 'verified_system') return status;
  if (owned && !owned.has(signer.email.toLowerCase())) return 'unverified_author_email';
  return status === 'unknown_key' ? 'verified' : status;
}
