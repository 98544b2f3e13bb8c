import type { User } from '../../access/tables.ts';

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** Somebody signed in with a browser. */
    'sign-in.succeeded': { readonly user: User; readonly ip: string };
    /** Somebody tried to, and was not let in; `user` is whose name they gave, if anybody's. */
    'sign-in.failed': { readonly login: string; readonly user: User | undefined; readonly ip: string };
  }
}
