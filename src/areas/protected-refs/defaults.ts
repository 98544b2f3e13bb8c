import { Role } from '../../access/roles.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';

/** How a new default branch is protected. */
export interface ProtectionDefaults {
  readonly allowed_to_push: readonly { readonly access_level: number }[];
  readonly allowed_to_merge: readonly { readonly access_level: number }[];
  readonly allow_force_push: boolean;
  readonly developer_can_initial_push: boolean;
}

const level = (push: number, merge: number, force = false, initial = false): ProtectionDefaults => ({
  allowed_to_push: [{ access_level: push }],
  allowed_to_merge: [{ access_level: merge }],
  allow_force_push: force,
  developer_can_initial_push: initial,
});

const { developer, maintainer } = Role;

/** The documented levels: 0 none, 1 partial, 2 full, 3 developers merge but do not push, 4 full after the first push. */
export const protectionLevels: readonly ProtectionDefaults[] = [
  level(developer, developer, true),
  level(developer, maintainer),
  level(maintainer, maintainer),
  level(maintainer, developer),
  level(maintainer, maintainer, false, true),
];

const full = protectionLevels[2] as ProtectionDefaults;

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
