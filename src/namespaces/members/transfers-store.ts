import { type SqlBool, sql } from 'kysely';
import type { Writer } from '../../platform/database/database.ts';
import { hasRoleOf } from '../member-roles/public.ts';
import { insideGroup } from './group-scope-store.ts';

/**
 * Ends the custom roles, of groups that are no longer above, of the members in a moved group or project. They keep the
 * base role.
 */
export async function endRolesOf(
  trx: Writer,
  lost: readonly number[],
  moved: { readonly group: number } | { readonly project: number },
): Promise<void> {
  if (lost.length === 0) return;
  const inside = 'group' in moved ? insideGroup(moved.group) : sql<SqlBool>`project_id = ${moved.project}`;
  for (const table of ['members', 'awaiting_members', 'member_invitations'] as const) {
    await trx.updateTable(table).set({ member_role_id: null }).where(hasRoleOf(lost)).where(inside).execute();
  }
}
