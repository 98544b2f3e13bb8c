import type { User } from '../../access/tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Somebody signed in with a browser. */
    'sign-in.succeeded': {
      readonly user: User;
      readonly ip: string;
      readonly userAgent: string;
      /** It is the first time, or was done from there or with that browser before. */
      readonly known: boolean;
    };
    /** Somebody tried to, and was not let in; `user` is whose name they gave, if anybody's. */
    'sign-in.failed': { readonly login: string; readonly user: User | undefined; readonly ip: string };
  }
}
