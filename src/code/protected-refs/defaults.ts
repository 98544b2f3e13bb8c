import { Role } from '../../access/roles.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { fullProtection, type ProtectionDefaults, protectionLevels } from '../../namespaces/groups/public.ts';

/** Would a default branch be protected at all? */
export function protects(defaults: ProtectionDefaults): boolean {
  const open = (list: ProtectionDefaults['allowed_to_push']) =>
    list.some((each) => each.access_level === Role.developer);
  return !(defaults.allow_force_push && open(defaults.allowed_to_push) && open(defaults.allowed_to_merge));
}

/** What a namespace has set for the default branches of new projects; full protection unless it says otherwise. */
export function protectionDefaults(namespace: Namespace): ProtectionDefaults {
  const settings = settingsOf(namespace);
  const own = settings.default_branch_protection_defaults;
  if (typeof own === 'object' && own !== null) return { ...fullProtection, ...(own as Partial<ProtectionDefaults>) };
  const number = settings.default_branch_protection;
  return (typeof number === 'number' ? protectionLevels[number] : undefined) ?? fullProtection;
}
