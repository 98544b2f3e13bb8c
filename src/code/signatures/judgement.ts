import type { VerificationStatus } from './rules.ts';
import type { TagSignatureEntity } from './schema.ts';

/** What a signature by a key is worth, and by whose. */
export interface Judgement {
  readonly status: VerificationStatus;
  readonly fields: Omit<TagSignatureEntity, 'signature_type' | 'verification_status'>;
  /** The key here that it is of. */
  readonly key: { readonly fingerprint: string; readonly userId: number | null } | undefined;
}
