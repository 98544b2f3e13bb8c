import type { Selectable } from 'kysely';
import type { MembersTable } from '../../../access/tables.ts';

/** A membership that gives no role until somebody approves it. */
export type AwaitingMembersTable = MembersTable;
export type AwaitingRow = Selectable<AwaitingMembersTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    awaiting_members: AwaitingMembersTable;
  }
}
