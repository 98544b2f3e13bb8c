import { Role } from '../../access/roles.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';

/** How a new default branch is protected, in the words of the settings of groups. */
export interface ProtectionDefaults {
  allowed_to_push: { access_level: number }[];
  allow_force_push: boolean;
  allowed_to_merge: { access_level: number }[];
  code_owner_approval_required?: boolean;
  developer_can_initial_push: boolean;
}

const level = (push: number, merge: number, force = false, initial = false): ProtectionDefaults => ({
  allowed_to_push: [{ access_level: push }],
  allow_force_push: force,
  allowed_to_merge: [{ access_level: merge }],
  developer_can_initial_push: initial,
});

const { developer, maintainer } = Role;

const full = level(maintainer, maintainer);

/**
 * By the deprecated number: none, partial, full, developers merge but do not push, full after the first push. Two of
 * them speak of code owners, as documented.
 */
export const protectionLevels: readonly ProtectionDefaults[] = [
  { ...level(developer, developer, true), code_owner_approval_required: false },
  level(developer, maintainer),
  full,
  level(maintainer, developer),
  { ...level(maintainer, maintainer, false, true), code_owner_approval_required: false },
];

/** Would a default branch be protected at all? */
export function protects(defaults: ProtectionDefaults): boolean {
  const open = (list: ProtectionDefaults['allowed_to_push']) => list.some((each) => each.access_level === developer);
  return !(defaults.allow_force_push && open(defaults.allowed_to_push) && open(defaults.allowed_to_merge));
}

/** What a namespace has set for the default branches of new projects; full protection unless it says otherwise. */
export function protectionDefaults(namespace: Namespace): ProtectionDefaults {
  const settings = settingsOf(namespace);
  const own = settings.default_branch_protection_defaults;
  if (typeof own === 'object' && own !== null) return { ...full, ...(own as Partial<ProtectionDefaults>) };
  const number = settings.default_branch_protection;
  return (typeof number === 'number' ? protectionLevels[number] : undefined) ?? full;
}
