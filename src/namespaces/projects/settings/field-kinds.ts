import Type, { type TSchema } from 'typebox';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { nullable as orNull, type Param, param } from '../../../platform/http/params.ts';
import { nullable } from '../../../platform/http/schema.ts';

/**
 * Who sees a field of the full view: everyone who sees the project, those who can read its code, Developers, or
 * Maintainers.
 */
export type Audience = 'all' | 'code' | 'developer' | 'maintainer';

/** A field of the full view that is computed from rows. */
export interface Computed {
  readonly schema: TSchema;
}

/** A project setting: its schema, parameter, storage and default. */
export interface Setting {
  readonly schema: TSchema;
  readonly param: Param<unknown>;
  /** Default value; undefined if it is derived from the project. */
  readonly fallback: unknown;
  readonly seenBy: Audience;
  /** Minimum role to change it. */
  readonly changedBy: 'maintainer' | 'owner' | 'admin';
  /** In which requests it is accepted. */
  readonly sent: 'both' | 'update' | 'create' | 'never';
  /** Validates a value; errors are reported under the name of the setting or under the names returned. */
  readonly problem?: (value: never) => string | Readonly<Record<string, string[]>> | undefined;
  /** Stored, but not part of the entity. */
  readonly hidden?: boolean;
  /** Its own column, for settings used by list filters or policies; all others share one. */
  readonly column?: 'issues_access' | 'merge_requests_access' | 'repository_access';
}

export type FieldRule = Computed | Setting;

export const isSetting = (rule: FieldRule): rule is Setting => 'param' in rule;

type Rest = Partial<Omit<Setting, 'schema' | 'param' | 'fallback'>>;

function declare(schema: TSchema, reader: Param<unknown>, fallback: unknown, rest: Rest = {}): Setting {
  return { seenBy: 'all', changedBy: 'maintainer', sent: 'both', ...rest, schema, param: reader, fallback };
}

export const computed = (schema: TSchema): Computed => ({ schema });
/** A computed field that is omitted where it does not apply. */
export const optionalComputed = (schema: TSchema): Computed => ({ schema: Type.Optional(schema) });

export const flag = (fallback: boolean, rest?: Rest): Setting =>
  declare(Type.Boolean(), param.boolean(), fallback, rest);

export const text = (rest?: Rest): Setting => declare(nullable(Type.String()), orNull(param.string()), null, rest);

export const number = (fallback: number | null, rest?: Rest): Setting =>
  declare(nullable(Type.Integer()), orNull(param.integer()), fallback, rest);

export const choice = (values: readonly string[], fallback: string, rest?: Rest): Setting =>
  declare(Type.String(), param.oneOf(values), fallback, rest);

export const words = (fallback: readonly string[], rest?: Rest): Setting =>
  declare(Type.Array(Type.String()), param.strings(), fallback, rest);

const levels = ['disabled', 'private', 'enabled'] as const;

/** Access level of a feature: disabled, members only, or everyone who sees the project. */
export const level = (fallback: (typeof levels)[number] = 'enabled', rest?: Rest): Setting =>
  choice(levels, fallback, rest);

/** Access level that can also be public regardless of the project's visibility. */
export const publicLevel = (fallback?: string): Setting =>
  declare(Type.String(), param.oneOf([...levels, 'public']), fallback);

const wordsOfLevels: Readonly<Record<number, string>> = { 0: 'disabled', 10: 'private', 20: 'enabled' };
const levelsOfWords: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 20 };

/** Returns the stored number of an access level. */
export const accessLevelNumber = (name: unknown): number => levelsOfWords[String(name)] ?? 20;
/** Returns the name of a stored access level. */
export const accessLevelName = (stored: number): string => wordsOfLevels[stored] ?? 'enabled';

/** Limits the length of a text. */
export const maxLength = (length: number) => ({
  problem: (value: string | null) => lengthProblem(value ?? '', length),
});

/** Limits a number to a range; the error states the violated bound unless a text is given. */
export const inRange = (least: number, most: number, text?: string) => ({
  problem: (value: number | null) => {
    if (value === null || (value >= least && value <= most)) return undefined;
    if (text !== undefined) return text;
    return value < least ? `must be greater than or equal to ${least}` : `must be less than or equal to ${most}`;
  },
});
