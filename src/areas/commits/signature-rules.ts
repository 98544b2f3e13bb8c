/** How far a signature can be trusted. */
export type VerificationStatus =
  | 'verified'
  | 'unverified'
  | 'same_user_different_email'
  | 'other_user'
  | 'unverified_key'
  | 'unknown_key'
  | 'multiple_signatures'
  | 'revoked_key';

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
  /** The key here that made it. */
  readonly key?: { readonly userId: number | null; readonly maySign: boolean };
  /** Who has proven to own the committer's address. */
  readonly committerId: number | undefined;
}

/** The verdict on an SSH signature. */
export function sshStatus({ valid, key, committerId }: SshFacts): VerificationStatus {
  if (!valid) return 'unverified';
  if (!key?.maySign) return 'unknown_key';
  return committerId !== undefined && key.userId === committerId ? 'verified' : 'other_user';
}
