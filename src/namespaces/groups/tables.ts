import type { Namespace, User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

/** A group before and after a change, and the user who changed it; null if it was the server. */
export interface GroupChange {
  readonly before: Namespace;
  readonly group: Namespace;
  readonly by: User | null;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'group.created': { readonly group: Namespace; readonly by: User };
    /** The name, path, settings, visibility, archival or deletion mark of a group changed. */
    'group.updated': GroupChange;
    /**
     * A group was moved under another parent or to the top level; the full paths of everything in it changed. `lost`
     * are the former ancestors that no longer apply.
     */
    'group.transferred': GroupChange & { readonly lost: readonly number[] };
    /**
     * A group is being deleted. Its row and those that refer to it still exist; they are deleted after all handlers
     * have run.
     */
    'group.removed': { readonly group: Namespace };
    /** A group was invited to another group. */
    'group.shared': {
      readonly group: Namespace;
      readonly invited: Namespace;
      readonly accessLevel: number;
      readonly by: User;
    };
    'group.unshared': { readonly group: Namespace; readonly invitedId: number; readonly by: User };
  }
  interface Contributions {
    /** Size of the dependency proxy blobs of groups including their descendants. */
    'groups.proxiedSizes': (db: Reader, groupIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  }
}
