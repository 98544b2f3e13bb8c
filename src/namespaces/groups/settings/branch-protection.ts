import { Role } from '../../../access/roles.ts';

/** Default branch protection, in the format of the group settings. */
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

export const fullProtection = level(maintainer, maintainer);
/** Deprecated number for full protection. */
export const fullProtectionNumber = 2;

/**
 * Indexed by the deprecated number: none, partial, full, developers can merge but not push, full after the initial
 * push. Two of them include `code_owner_approval_required`, as documented.
 */
export const protectionLevels: readonly ProtectionDefaults[] = [
  { ...level(developer, developer, true), code_owner_approval_required: false },
  level(developer, maintainer),
  fullProtection,
  level(maintainer, developer),
  { ...level(maintainer, maintainer, false, true), code_owner_approval_required: false },
];
export const protectionNumbers = [0, 1, 2, 3, 4] as const;

/** Returns the protection defaults for the deprecated number. */
export function protectionOf(number: number): ProtectionDefaults {
  return protectionLevels[number] ?? fullProtection;
}

const essence = (defaults: ProtectionDefaults) =>
  JSON.stringify([
    defaults.allowed_to_push.map((entry) => entry.access_level),
    defaults.allowed_to_merge.map((entry) => entry.access_level),
    defaults.allow_force_push,
    defaults.developer_can_initial_push,
  ]);

/** Returns the deprecated number for protection defaults, or the one for full protection if none matches. */
export function protectionNumber(defaults: ProtectionDefaults): number {
  const number = protectionLevels.findIndex((known) => essence(known) === essence(defaults));
  return number === -1 ? fullProtectionNumber : number;
}
