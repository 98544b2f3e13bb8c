import {
  fullProtection,
  type ProtectionDefaults,
  protectionLevels,
} from '../../access/namespaces/branch-protection.ts';
import { Role } from '../../access/roles.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';

/** Whether the defaults protect a default branch at all. */
export function protectsAnything(defaults: ProtectionDefaults): boolean {
  const open = (list: ProtectionDefaults['allowed_to_push']) =>
    list.some((each) => each.access_level === Role.developer);
  return !(defaults.allow_force_push && open(defaults.allowed_to_push) && open(defaults.allowed_to_merge));
}

/** The default branch protection for new projects of a namespace; full protection unless configured. */
export function protectionDefaults(namespace: Namespace): ProtectionDefaults {
  const settings = settingsOf(namespace);
  const own = settings.default_branch_protection_defaults;
  if (typeof own === 'object' && own !== null) return { ...fullProtection, ...(own as Partial<ProtectionDefaults>) };
  const number = settings.default_branch_protection;
  return (typeof number === 'number' ? protectionLevels[number] : undefined) ?? fullProtection;
}
