/** Who may push to and merge into the default branch of new projects. */
export interface ProtectionDefaults {
  allowed_to_push: { access_level: number }[];
  allow_force_push: boolean;
  allowed_to_merge: { access_level: number }[];
  code_owner_approval_required?: boolean;
  developer_can_initial_push: boolean;
}

function protection(push: number, merge: number, force: boolean, initial: boolean): ProtectionDefaults {
  return {
    allowed_to_push: [{ access_level: push }],
    allow_force_push: force,
    allowed_to_merge: [{ access_level: merge }],
    developer_can_initial_push: initial,
  };
}

/** By the deprecated number: none, partial, full, developers merge but do not push, full after the first push. */
const byNumber: readonly ProtectionDefaults[] = [
  { ...protection(30, 30, true, false), code_owner_approval_required: false },
  protection(30, 40, false, false),
  protection(40, 40, false, false),
  protection(40, 30, false, false),
  { ...protection(40, 40, false, true), code_owner_approval_required: false },
];

export const protectionNumbers = [0, 1, 2, 3, 4] as const;
export const fullProtection = 2;

/** What a number of the deprecated parameter stands for. */
export function protectionOf(number: number): ProtectionDefaults {
  return byNumber[number] ?? protection(40, 40, false, false);
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
  const number = byNumber.findIndex((known) => essence(known) === essence(defaults));
  return number === -1 ? fullProtection : number;
}
