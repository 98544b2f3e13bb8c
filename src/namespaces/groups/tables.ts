import type { Namespace, User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

/** A group as it was and as it is now, and who changed it; null where the server did. */
export interface GroupChange {
  readonly before: Namespace;
  readonly group: Namespace;
  readonly by: User | null;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'group.created': { readonly group: Namespace; readonly by: User };
    /** Something about a group has changed: name, path, settings, visibility, archival, the mark for deletion. */
    'group.updated': GroupChange;
    /**
     * A group is below another one, or at the top; so is all that it holds, and their full paths are others. `lost` are the
     * groups that were above it and are no longer.
     */
    'group.transferred': GroupChange & { readonly lost: readonly number[] };
    /** A group goes for good. Its row, and those that refer to it, are still there: they go when all were told. */
    'group.removed': { readonly group: Namespace };
    /** A group's members have been lent a role in another. */
    'group.shared': {
      readonly group: Namespace;
      readonly invited: Namespace;
      readonly accessLevel: number;
      readonly by: User;
    };
    'group.unshared': { readonly group: Namespace; readonly invitedId: number; readonly by: User };
  }
  interface Contributions {
    /** How much groups, with those below them, keep of images that are pulled through them. */
    'groups.proxiedSizes': (db: Reader, groupIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  }
}
