import { ParameterError } from './errors.ts';
import * as read from './parameters/param-readers.ts';

/**
 * A declared parameter: its JSON schema for the OpenAPI document, and how its text or JSON value is parsed. JSON Schema
 * validators produce neither the documented coercions (`1`, `t`, `on` are true; `a=1,2` is a list) nor the documented
 * messages, so each parameter has its own parser.
 */
export interface Param<T, P extends Presence = Presence> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly read: read.Reader<T>;
  readonly presence: P;
  readonly fallback?: T;
  readonly notBlank?: boolean;
  readonly nullable?: boolean;
  /** The value for JSON null, where that is not null. */
  readonly nullIs?: T;
}
export type Presence = 'optional' | 'required' | 'defaulted';

export type ParamMap = { readonly [name: string]: Param<unknown> };

type Value<P> = P extends Param<infer T> ? T : never;
type Present<M> = { [K in keyof M]: M[K] extends Param<unknown, 'optional'> ? never : K }[keyof M];
/** What a handler receives: required and defaulted parameters always, others if they were sent. */
export type ParamsOf<M> = { [K in Present<M>]: Value<M[K]> } & { [K in Exclude<keyof M, Present<M>>]?: Value<M[K]> };

interface Note {
  description?: string;
}

function declare<T>(schema: Record<string, unknown>, reader: read.Reader<T>, note: Note = {}): Param<T, 'optional'> {
  return { schema: { ...schema, ...note }, read: reader, presence: 'optional' };
}

/** The kinds of parameters in the API documentation. Each is optional unless wrapped in `required` or `withDefault`. */
export const param = {
  string: (note?: Note) => declare({ type: 'string' }, read.string, note),
  integer: (note?: Note) => declare({ type: 'integer' }, read.integer, note),
  /** For values of 32-bit columns: amounts, not ids. */
  int32: (note?: Note) => declare({ type: 'integer', format: 'int32' }, read.int32, note),
  float: (note?: Note) => declare({ type: 'number' }, read.float, note),
  boolean: (note?: Note) => declare({ type: 'boolean' }, read.boolean, note),
  /** `YYYY-MM-DD`; a full timestamp is truncated to its date. */
  date: (note?: Note) => declare({ type: 'string', format: 'date' }, read.date, note),
  /** ISO 8601, parsed to milliseconds. */
  dateTime: (note?: Note) => declare({ type: 'string', format: 'date-time' }, read.dateTime, note),
  /** One of the listed values. */
  oneOf: <const V extends string>(values: readonly V[], note?: Note) =>
    declare({ type: 'string', enum: values }, read.oneOf(values), note),
  /** One of the listed numbers. */
  integerOf: (values: readonly number[], note?: Note) =>
    declare({ type: 'integer', enum: values }, read.integerOf(values), note),
  /** `a[]=x`, a JSON array, or `a=x,y`. */
  commaList: (note?: Note) => declare({ type: 'array', items: { type: 'string' } }, read.list(read.string, true), note),
  /** `a[]=x` or a JSON array; a comma is part of the text. */
  strings: (note?: Note) => declare({ type: 'array', items: { type: 'string' } }, read.list(read.string, false), note),
  integers: (note?: Note) =>
    declare({ type: 'array', items: { type: 'integer' } }, read.list(read.lenientInteger, true), note),
  /** Any of the listed numbers. */
  integersOf: (values: readonly number[], note?: Note) =>
    declare({ type: 'array', items: { type: 'integer', enum: values } }, read.list(read.integerOf(values), true), note),
  oneOrMoreOf: <const V extends string>(values: readonly V[], note?: Note) =>
    declare({ type: 'array', items: { type: 'string', enum: values } }, read.list(read.oneOf(values), true), note),
  /** `name[key]=value` for declared keys. */
  hash: <M extends ParamMap>(fields: M, note?: Note) =>
    declare(
      { type: 'object', ...objectSchema(fields) },
      (raw, name, problems) => readHash(fields, raw, name, problems),
      note,
    ),
  /** `name[key]=value` for any key. */
  map: (note?: Note) => declare({ type: 'object', additionalProperties: { type: 'string' } }, read.stringMap, note),
  /** An array of hashes, also in the indexed form `a[0][key]`. */
  hashes: <M extends ParamMap>(fields: M, note?: Note) =>
    declare(
      { type: 'array', items: { type: 'object', ...objectSchema(fields) } },
      (raw, name, problems) => readHashes(fields, raw, name, problems),
      note,
    ),
  /** An uploaded file; an empty text removes the current one. */
  file: (note?: Note) => declare({ type: 'string', format: 'binary' }, read.file, note),
  /** A value of any shape, checked by the handler. */
  any: (note?: Note) => declare<unknown>({}, (raw) => raw, note),
};

export const required = <T>(p: Param<T>): Param<T, 'required'> => ({ ...p, presence: 'required' });
export const withDefault = <T>(p: Param<T>, fallback: T): Param<T, 'defaulted'> => ({
  ...p,
  schema: { ...p.schema, default: fallback },
  presence: 'defaulted',
  fallback,
});
/** Blank values are rejected with `x is empty`. */
export const notBlank = <T, P extends Presence>(p: Param<T, P>): Param<T, P> => ({ ...p, notBlank: true });
/**
 * JSON null, or a blank where the type has no blank value, reaches the handler as null instead of counting as absent.
 */
export const nullable = <T, P extends Presence>(p: Param<T, P>): Param<T | null, P> => ({
  ...(p as Param<T | null, P>),
  schema: { ...p.schema, type: nullableType(p.schema.type) },
  nullable: true,
});

/** JSON null clears a text, as a blank does. */
export const nullAsBlank = <P extends Presence>(p: Param<string, P>): Param<string, P> => ({
  ...p,
  schema: { ...p.schema, type: nullableType(p.schema.type) },
  nullable: true,
  nullIs: '',
});

function nullableType(type: unknown): unknown {
  return typeof type === 'string' ? [type, 'null'] : type;
}

/** The `properties` and `required` of an object with these parameters. */
export function objectSchema(fields: ParamMap): { properties: Record<string, unknown>; required?: string[] } {
  const names = Object.keys(fields);
  const must = names.filter((name) => fields[name]?.presence === 'required');
  const properties = Object.fromEntries(names.map((name) => [name, fields[name]?.schema]));
  return must.length === 0 ? { properties } : { properties, required: must };
}

/** Parses the declared parameters; adds a message to `problems` for each invalid one. */
export function readParams(
  fields: ParamMap,
  raw: Readonly<Record<string, unknown>>,
  prefix: string | undefined,
  problems: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key in fields) {
    const field = fields[key] as Param<unknown>;
    const name = prefix === undefined ? key : `${prefix}[${key}]`;
    const value = readOne(field, raw[key], name, problems);
    if (value !== undefined) result[key] = value;
  }
  return result;
}

function readOne(field: Param<unknown>, sent: unknown, name: string, problems: string[]): unknown {
  if (sent === undefined || (sent === null && !field.nullable)) {
    if (field.presence === 'required') problems.push(`${name} is missing`);
    if (field.notBlank && (field.presence === 'required' || sent === null)) problems.push(`${name} is empty`);
    return field.fallback;
  }
  if (field.notBlank && read.isBlank(sent)) {
    problems.push(`${name} is empty`);
    return undefined;
  }
  if (sent === null) return field.nullIs ?? null;
  const value = field.read(sent, name, problems);
  if (value === undefined) return field.nullable ? null : field.fallback;
  return value;
}

function readHash<M extends ParamMap>(
  fields: M,
  raw: unknown,
  name: string,
  problems: string[],
): ParamsOf<M> | undefined {
  if (raw === '') return undefined;
  if (!read.isRecord(raw)) {
    problems.push(`${name} is invalid`);
    return undefined;
  }
  return readParams(fields, raw, name, problems) as ParamsOf<M>;
}

function readHashes<M extends ParamMap>(
  fields: M,
  raw: unknown,
  name: string,
  problems: string[],
): ParamsOf<M>[] | undefined {
  if (raw === '') return [];
  const list = read.isRecord(raw) ? Object.values(raw) : raw;
  if (!Array.isArray(list)) {
    problems.push(`${name} is invalid`);
    return undefined;
  }
  return list.flatMap((element, index) => readHash(fields, element, `${name}[${index}]`, problems) ?? []);
}

/** A rule over several parameters: returns a message if it is broken. */
export type Rule = (sent: Readonly<Record<string, unknown>>) => string | undefined;

const sentNames = (sent: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  names.filter((name) => sent[name] !== undefined);

export const atLeastOneOf =
  (...names: string[]): Rule =>
  (sent) =>
    sentNames(sent, names).length > 0
      ? undefined
      : `${names.join(', ')} are missing, at least one parameter must be provided`;
export const exactlyOneOf =
  (...names: string[]): Rule =>
  (sent) => {
    const count = sentNames(sent, names).length;
    if (count === 0) return `${names.join(', ')} are missing, exactly one parameter must be provided`;
    return count > 1 ? `${sentNames(sent, names).join(', ')} are mutually exclusive` : undefined;
  };
export const mutuallyExclusive =
  (...names: string[]): Rule =>
  (sent) =>
    sentNames(sent, names).length > 1 ? `${sentNames(sent, names).join(', ')} are mutually exclusive` : undefined;
/** The same for the members of a hash, such as `not`. */
export const mutuallyExclusiveIn =
  (hash: string, ...names: string[]): Rule =>
  (sent) => {
    const nested = sent[hash];
    const both = read.isRecord(nested) ? sentNames(nested, names) : [];
    return both.length > 1 ? `${both.map((name) => `${hash}[${name}]`).join(', ')} are mutually exclusive` : undefined;
  };
export const allOrNoneOf =
  (...names: string[]): Rule =>
  (sent) => {
    const count = sentNames(sent, names).length;
    return count === 0 || count === names.length ? undefined : `${names.join(', ')} provide all or none of parameters`;
  };

/** Parses and validates everything that a route declares, or throws the documented 400. */
export function checkParams<M extends ParamMap>(
  fields: M,
  rules: readonly Rule[],
  sent: Readonly<Record<string, unknown>>,
): ParamsOf<M> {
  const problems: string[] = [];
  const params = readParams(fields, sent, undefined, problems);
  for (const rule of rules) {
    const problem = rule(sent);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) throw new ParameterError(problems.join(', '));
  return params as ParamsOf<M>;
}
