import Type, { type TSchema } from 'typebox';
import type { Config } from '../../config/config.ts';
import { nullable as orNull, type Param, param } from '../../platform/http/params.ts';
import { nullable } from '../../platform/http/schema.ts';
import { isAddressRange } from '../../platform/http/server/address-ranges.ts';
import { type ProtectionDefaults, protectionParam, protectionSchema } from '../namespaces/branch-protection.ts';

/** An instance-wide setting: its schema, parameter, default and documentation. */
export interface ApplicationSetting<T> {
  readonly schema: TSchema;
  readonly param: Param<T>;
  /** The default value, which may depend on startup settings. */
  fallback(config: Config): T;
  /** The problem with a value, if any. */
  problem?(value: T): string | undefined;
  /** How it is presented, if that differs from how it is stored. */
  readonly shown?: { readonly schema: TSchema; of(value: T): unknown };
  readonly help: string;
}

type Fallback<T> = T | ((config: Config) => T);

function declare<T>(
  schema: TSchema,
  reader: Param<T>,
  fallback: Fallback<T>,
  help: string,
  problem?: (value: T) => string | undefined,
): ApplicationSetting<T> {
  const value = typeof fallback === 'function' ? (fallback as (config: Config) => T) : () => fallback;
  return { schema, param: reader, fallback: value, help, ...(problem ? { problem } : {}) };
}

const largest = 2_147_483_647;

function outside(value: number | null, [least, most]: readonly [number, number]): string | undefined {
  if (value === null) return undefined;
  if (value < least) return `must be greater than or equal to ${least}`;
  return value > most ? `must be less than or equal to ${most}` : undefined;
}

type Range = readonly [number, number];

export const flag = (fallback: Fallback<boolean>, help: string) =>
  declare(Type.Boolean(), param.boolean(), fallback, help);

/** An integer within a range. */
export const integerSetting = (fallback: Fallback<number>, help: string, range: Range = [0, largest]) =>
  declare(Type.Integer(), param.integer(), fallback, help, (value) => outside(value, range));

/** An integer, or null, usually for the startup setting. */
export const integerSettingOrNull = (fallback: Fallback<number | null>, help: string, range: Range = [0, largest]) =>
  declare(nullable(Type.Integer()), orNull(param.integer()), fallback, help, (value) => outside(value, range));

/** A decimal number. */
export const decimal = (fallback: number, help: string) =>
  declare(Type.Number(), param.float(), fallback, help, (value) => outside(value, [0, largest]));

/** A decimal number presented as text, as some clients expect. */
export const decimalText = (fallback: number, help: string): ApplicationSetting<number> => ({
  ...decimal(fallback, help),
  shown: { schema: Type.String(), of: (value) => (Number.isInteger(value) ? value.toFixed(1) : String(value)) },
});

export const text = (
  help: string,
  problem?: (value: string | null) => string | undefined,
  fallback: string | null = null,
) => declare<string | null>(nullable(Type.String()), orNull(param.string()), fallback, help, problem);

/** IP addresses and ranges, separated by commas. */
export const addresses = (help: string) =>
  text(
    help,
    (value) => {
      if (value === null || value.trim() === '') return undefined;
      return value.split(',').every((part) => isAddressRange(part.trim()))
        ? undefined
        : 'is an invalid IP address range';
    },
    '',
  );

/** A prefix of tokens. */
export const prefix = (fallback: string, help: string) =>
  declare<string>(Type.String(), param.string(), fallback, help, (value) => {
    if (value.length > 20) return 'is too long (maximum is 20 characters)';
    return /^[a-zA-Z0-9_+=/@:.-]*$/.test(value) ? undefined : 'is invalid';
  });

export const choiceSetting = <const V extends string>(values: readonly V[], fallback: Fallback<V>, help: string) =>
  declare<V>(Type.String(), param.oneOf(values), fallback, help);

export const choiceSettingOrNull = <const V extends string>(values: readonly V[], help: string) =>
  declare<V | null>(nullable(Type.String()), orNull(param.oneOf(values)), null, help);

export const choiceListSetting = <const V extends string>(
  values: readonly V[],
  help: string,
  fallback: readonly V[] = [],
) => declare<readonly V[]>(Type.Array(Type.String()), param.oneOrMoreOf(values), fallback, help);

/** A list of strings, such as user names. */
export const stringListSetting = (
  help: string,
  fallback: Fallback<readonly string[]> = [],
  problem?: (value: readonly string[]) => string | undefined,
) =>
  declare<readonly string[]>(Type.Array(Type.String()), param.commaList(), fallback, help, (value) =>
    value.length > 100 ? 'is too long (maximum is 100 entries)' : problem?.(value),
  );

/**
 * The rate limit of an endpoint; 0 for unlimited. The default is the documented limit if endpoint limits are enabled at
 * startup.
 */
export const endpointRateLimitSetting = (documented: number, help: string) =>
  integerSetting((config) => (config.endpointLimits ? documented : 0), help);

/** User ids, at most a hundred. */
export const userIdListSetting = (help: string) =>
  declare<readonly number[]>(Type.Array(Type.Integer()), param.integers(), [], help, (value) =>
    value.length > 100 ? 'exceeds maximum length (100 user ids)' : undefined,
  );

/** Default branch protection, of which a change may send a part. */
export const branchProtectionSetting = (fallback: ProtectionDefaults, help: string) =>
  declare<Partial<ProtectionDefaults>>(protectionSchema, protectionParam(), fallback, help);
