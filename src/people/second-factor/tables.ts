import type { Generated, Selectable } from 'kysely';
import type { User } from '../../access/tables.ts';

export interface SecondFactorsTable {
  id: Generated<number>;
  user_id: number;
  encrypted_key: string;
  /** The step of the last code that was taken: neither it nor one before it is taken again. */
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
    /** `by` is who did it: its owner, an administrator, or null for who runs the server. */
    'second-factor.disabled': { readonly user: User; readonly by: User | null };
    'recovery-codes.made': { readonly user: User };
    /** Somebody got in by a code that was written down; so many are left. */
    'recovery-code.used': { readonly user: User; readonly left: number };
  }
}
