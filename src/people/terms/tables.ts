import type { Generated } from 'kysely';
import type { User } from '../../access/tables.ts';

/** Every text that was accepted, verbatim. */
export interface TermsTable {
  id: Generated<number>;
  digest: string;
  text: string;
  created_at: number;
}

/** Who accepted which text, when and from which address. */
export interface TermsAcceptancesTable {
  id: Generated<number>;
  user_id: number;
  terms_id: number;
  ip: string;
  accepted_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    terms: TermsTable;
    terms_acceptances: TermsAcceptancesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'terms.accepted': { readonly user: User; readonly digest: string };
  }
}
