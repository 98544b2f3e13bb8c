import { Role } from '../../../access/roles.ts';

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

export const fullProtection = level(maintainer, maintainer);
/** The number that stands for it. */
export const fullProtectionNumber = 2;

/**
 * By the deprecated number: none, partial, full, developers merge but do not push, full after the first push. Two of
 * them speak of code owners, as documented.
 */
export const protectionLevels: readonly ProtectionDefaults[] = [
  { ...level(developer, developer, true), code_owner_approval_required: false },
  level(developer, maintainer),
  fullProtection,
  level(maintainer, developer),
  { ...level(maintainer, maintainer, false, true), code_owner_approval_required: false },
];
export const protectionNumbers = [0, 1, 2, 3, 4] as const;

/** What a number of the deprecated parameter stands for. */
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

/** The number that stands for these defaults; for any that no number stands for, full protection. */
export function protectionNumber(defaults: ProtectionDefaults): number {
  const number = protectionLevels.findIndex((known) => essence(known) === essence(defaults));
  return number === -1 ? fullProtectionNumber : number;
}
