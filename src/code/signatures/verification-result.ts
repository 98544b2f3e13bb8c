import type { VerificationStatus } from './rules.ts';
import type { TagSignatureEntity } from './schema.ts';

/** The verification result of a signature, with its key. */
export interface VerificationResult {
  readonly status: VerificationStatus;
  readonly fields: Omit<TagSignatureEntity, 'signature_type' | 'verification_status'>;
  /** The matching key stored here, if any. */
  readonly key: { readonly fingerprint: string; readonly userId: number | null } | undefined;
}
