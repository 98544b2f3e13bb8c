import type { Parameters } from '../rules.ts';
import type { ScopeRow, UserListRow } from '../tables.ts';

/** A strategy of a flag, with where it applies and the list that it names. */
export interface Strategy {
  readonly id: number;
  readonly flag_id: number;
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly userList: UserListRow | null;
  readonly scopes: readonly ScopeRow[];
}

/** A strategy as it is to be. */
export interface PlannedStrategy {
  /** Of one that is there. */
  readonly id: number | undefined;
  readonly name: string;
  readonly parameters: Parameters;
  readonly userListId: number | null;
  readonly scopes: readonly { readonly id?: number; readonly environment_scope: string }[];
  readonly removedScopes: readonly number[];
}

/** What the strategies of a flag are to be. */
export interface Planned {
  readonly removed: readonly number[];
  /** Those that are new or changed, and how. */
  readonly kept: readonly PlannedStrategy[];
  /** How many there are then. */
  readonly count: number;
}
