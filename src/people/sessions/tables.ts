import type { User } from '../../access/tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A user signed in with a browser. */
    'sign-in.succeeded': {
      readonly user: User;
      readonly ip: string;
      readonly userAgent: string;
      /** Whether the address or browser was used before, or this is the first sign-in. */
      readonly known: boolean;
    };
    /** A sign-in failed; `user` is the account with that login, if any. */
    'sign-in.failed': { readonly login: string; readonly user: User | undefined; readonly ip: string };
  }
}
