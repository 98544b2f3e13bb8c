import { type ProtectionDefaults, protectionLevels } from '../../code/protected-refs/service.ts';

export const protectionNumbers = [0, 1, 2, 3, 4] as const;
export const fullProtection = 2;

/** What a number of the deprecated parameter stands for. */
export function protectionOf(number: number): ProtectionDefaults {
  return protectionLevels[number] ?? (protectionLevels[fullProtection] as ProtectionDefaults);
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
  return number === -1 ? fullProtection : number;
}
