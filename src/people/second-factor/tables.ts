import type { Generated, Selectable } from 'kysely';
import type { User } from '../../access/tables.ts';

export interface SecondFactorsTable {
  id: Generated<number>;
  user_id: number;
  encrypted_key: string;
  /** Step of the last accepted code; this and earlier steps are rejected. */
  last_step: number;
  failed_attempts: Generated<number>;
  locked_until: number | null;
  created_at: number;
}

export interface RecoveryCodesTable {
  id: Generated<number>;
  user_id: number;
  digest: string;
}

export type SecondFactor = Selectable<SecondFactorsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    second_factors: SecondFactorsTable;
    recovery_codes: RecoveryCodesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'second-factor.enabled': { readonly user: User };
    /** `by` is the user, an administrator, or null if disabled from the command line. */
    'second-factor.disabled': { readonly user: User; readonly by: User | null };
    'recovery-codes.made': { readonly user: User };
    /** A recovery code was used; `left` is the number of those remaining. */
    'recovery-code.used': { readonly user: User; readonly left: number };
  }
}
