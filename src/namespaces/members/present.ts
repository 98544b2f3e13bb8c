import { type Actor, isAdmin } from '../../access/actor.ts';
import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { effectiveRole, permissionsIn } from '../../access/visibility/member-roles.ts';
import { visibleGroupIds } from '../../access/visibility/visible-ids.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import { presentRole, rolesByIds } from '../member-roles/public.ts';
import { overrides } from './directory-store.ts';
import type { HeldRole } from './list.ts';
import type { MemberEntity } from './schema.ts';

export type MemberRow = HeldRole & Pick<User, 'email' | 'kind' | 'state'>;

/** Returns the source groups that the viewer may see. */
async function knownSources(
  db: Reader,
  actor: Actor,
  subject: ProjectOrGroup,
  rows: readonly MemberRow[],
): Promise<Set<number>> {
  const here = namespaceOf(subject).id;
  const others = new Set(rows.map((row) => row.source_id ?? here).filter((id) => id !== here));
  if (others.size === 0) return new Set([here]);
  return new Set([here, ...(await visibleGroupIds(db, actor, [...others]))]);
}

/** Serializes members for the caller. */
export async function presentMembers(
  { db, externalUrl, directories }: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  rows: readonly MemberRow[],
  seats = false,
): Promise<MemberEntity[]> {
  const [users, known, overridden, roles] = await Promise.all([
    basicUsers(
      db.read,
      rows.flatMap((row) => [row.user_id, row.created_by_id]),
      externalUrl,
    ),
    knownSources(db.read, actor, subject, rows),
    directories.length > 0
      ? overrides(
          db.read,
          subject,
          rows.map((row) => row.user_id),
        )
      : undefined,
    rolesByIds(
      db.read,
      rows.flatMap((row) => [row.role, row.share_role]),
    ),
  ]);
  const decisive = new Map([...roles].map(([id, row]) => [id, { id, permissions: permissionsIn(row.permissions) }]));
  return rows.map((row) => {
    const shown = row.source_id === null || known.has(row.source_id);
    const role = roles.get(effectiveRole(row, decisive)?.id ?? 0);
    const creator = row.created_by_id === null || !shown ? undefined : users.get(row.created_by_id);
    return {
      ...(users.get(row.user_id) as BasicUserEntity),
      access_level: row.access_level,
      created_at: instant(row.created_at),
      ...(creator ? { created_by: creator } : {}),
      expires_at: dayOrNull(row.expires_at),
      ...(isAdmin(actor) ? { email: row.email } : {}),
      ...(overridden?.has(row.user_id) ? { override: overridden.get(row.user_id) === 1 } : {}),
      ...(seats ? { is_using_seat: usesSeat(row) } : {}),
      membership_state: 'active',
      ...(role ? { member_role: presentRole(role) } : {}),
    };
  });
}

function usesSeat({ kind, state, access_level }: MemberRow): boolean {
  return kind === 'human' && state === 'active' && access_level > Role.minimal;
}
