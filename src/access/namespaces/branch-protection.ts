import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { Role } from '../roles.ts';

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

const entries = Type.Array(Type.Object({ access_level: Type.Integer() }));
export const protectionSchema = Type.Object({
  allowed_to_push: entries,
  allow_force_push: Type.Boolean(),
  allowed_to_merge: entries,
  code_owner_approval_required: Type.Optional(Type.Boolean()),
  developer_can_initial_push: Type.Boolean(),
});

const sentEntries = () => param.hashes({ access_level: required(param.integerOf([0, 30, 40, 60])) });
/** Protection defaults of which only some are sent. */
export const protectionParam = () =>
  param.hash({
    allowed_to_push: sentEntries(),
    allow_force_push: param.boolean(),
    allowed_to_merge: sentEntries(),
    code_owner_approval_required: param.boolean(),
    developer_can_initial_push: param.boolean(),
  });

interface ProtectionSettings {
  readonly default_branch_protection: number;
  readonly default_branch_protection_defaults: Partial<ProtectionDefaults>;
}

/** The defaults in detail. The number alone was stored before there were details. */
export function protectionIn(settings: ProtectionSettings): ProtectionDefaults {
  const { default_branch_protection: number, default_branch_protection_defaults: stored } = settings;
  const detail = { ...fullProtection, ...stored };
  return protectionNumber(detail) === number ? detail : protectionOf(number);
}

/** Keeps the deprecated number and the defaults object in sync; the object wins if both are sent. */
export function protectionChange(present: ProtectionSettings, sent: Partial<ProtectionSettings>) {
  const { default_branch_protection: number, default_branch_protection_defaults: change } = sent;
  if (number === undefined && change === undefined) return {};
  const base = number === undefined ? protectionIn(present) : protectionOf(number);
  const merged: ProtectionDefaults = { ...base, ...change };
  return { default_branch_protection_defaults: merged, default_branch_protection: protectionNumber(merged) };
}
