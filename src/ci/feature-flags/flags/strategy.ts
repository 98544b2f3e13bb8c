import type { Parameters } from '../rules.ts';
import type { ScopeRow, UserListRow } from '../tables.ts';

/** A strategy of a flag with its scopes and user list. */
export interface Strategy {
  readonly id: number;
  readonly flag_id: number;
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly userList: UserListRow | null;
  readonly scopes: readonly ScopeRow[];
}

/** The desired state of a strategy. */
export interface PlannedStrategy {
  /** ID of an existing strategy. */
  readonly id: number | undefined;
  readonly name: string;
  readonly parameters: Parameters;
  readonly userListId: number | null;
  readonly scopes: readonly { readonly id?: number; readonly environment_scope: string }[];
  readonly removedScopes: readonly number[];
}

/** Planned changes to the strategies of a flag. */
export interface Planned {
  readonly removed: readonly number[];
  /** New and changed strategies. */
  readonly saved: readonly PlannedStrategy[];
  /** Resulting number of strategies. */
  readonly count: number;
}
