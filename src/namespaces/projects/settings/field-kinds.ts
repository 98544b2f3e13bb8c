import Type, { type TSchema } from 'typebox';
import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import { nullable as orNull, type Param, param } from '../../../platform/http/params.ts';
import { nullable } from '../../../platform/http/schema.ts';

/** Who sees a field of the full view: whoever sees the project, who can read its code, its Developers or Maintainers. */
export type Audience = 'all' | 'code' | 'developer' | 'maintainer';

/** A field of the full view that is worked out from rows. */
export interface Computed {
  readonly schema: TSchema;
}

/** A setting of a project: how it is shown, sent and stored, what it is until someone sets it. */
export interface Setting {
  readonly schema: TSchema;
  readonly param: Param<unknown>;
  /** Undefined when it follows from the project. */
  readonly fallback: unknown;
  readonly seenBy: Audience;
  /** Who may change it; Maintainers unless said otherwise. */
  readonly changedBy: 'maintainer' | 'owner' | 'admin';
  /** Only in updates, only in creation, or in both. */
  readonly sent: 'both' | 'update' | 'create' | 'never';
  /** What is wrong with a value, if anything; reported under the setting's name, or the names that come with it. */
  readonly problem?: (value: never) => string | Readonly<Record<string, string[]>> | undefined;
  /** Kept, but not a field of the entity. */
  readonly hidden?: boolean;
  /** The column it is kept in, for settings that lists filter by or policies read; the others share one. */
  readonly column?: 'issues_access' | 'merge_requests_access' | 'repository_access';
}

export type FieldRule = Computed | Setting;

export const isSetting = (rule: FieldRule): rule is Setting => 'param' in rule;

type Rest = Partial<Omit<Setting, 'schema' | 'param' | 'fallback'>>;

function declare(schema: TSchema, reader: Param<unknown>, fallback: unknown, rest: Rest = {}): Setting {
  return { seenBy: 'all', changedBy: 'maintainer', sent: 'both', ...rest, schema, param: reader, fallback };
}

export const computed = (schema: TSchema): Computed => ({ schema });
/** A computed field that is left out where it does not apply. */
export const sometimes = (schema: TSchema): Computed => ({ schema: Type.Optional(schema) });

export const flag = (fallback: boolean, rest?: Rest): Setting =>
  declare(Type.Boolean(), param.boolean(), fallback, rest);

export const text = (rest?: Rest): Setting => declare(nullable(Type.String()), orNull(param.string()), null, rest);

export const number = (fallback: number | null, rest?: Rest): Setting =>
  declare(nullable(Type.Integer()), orNull(param.integer()), fallback, rest);

export const word = (values: readonly string[], fallback: string, rest?: Rest): Setting =>
  declare(Type.String(), param.oneOf(values), fallback, rest);

export const words = (fallback: readonly string[], rest?: Rest): Setting =>
  declare(Type.Array(Type.String()), param.strings(), fallback, rest);

const levels = ['disabled', 'private', 'enabled'] as const;

/** Who has a feature: nobody, members, or whoever sees the project. */
export const level = (fallback: (typeof levels)[number] = 'enabled', rest?: Rest): Setting =>
  word(levels, fallback, rest);

/** Such a level that can also be opened to everyone, whatever the project's visibility. */
export const publicLevel = (fallback?: string): Setting =>
  declare(Type.String(), param.oneOf([...levels, 'public']), fallback);

const wordsOfLevels: Readonly<Record<number, string>> = { 0: 'disabled', 10: 'private', 20: 'enabled' };
const levelsOfWords: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 20 };

/** The stored number of a level's word. */
export const levelOfWord = (name: unknown): number => levelsOfWords[String(name)] ?? 20;
/** The word of a stored level. */
export const wordOfLevel = (stored: number): string => wordsOfLevels[stored] ?? 'enabled';

/** The longest text that a setting takes. */
export const atMost = (length: number) => ({
  problem: (value: string | null) => tooLong(value ?? '', length),
});

/** Numbers from one to another; without a text of its own, the breach is told as a bound. */
export const within = (least: number, most: number, text?: string) => ({
  problem: (value: number | null) => {
    if (value === null || (value >= least && value <= most)) return undefined;
    if (text !== undefined) return text;
    return value < least ? `must be greater than or equal to ${least}` : `must be less than or equal to ${most}`;
  },
});
