import type { Selectable } from 'kysely';
import type { MembersTable } from '../../../access/tables.ts';

/** A membership that grants no role until it is approved. */
export type AwaitingMembersTable = MembersTable;
export type AwaitingRow = Selectable<AwaitingMembersTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    awaiting_members: AwaitingMembersTable;
  }
}
