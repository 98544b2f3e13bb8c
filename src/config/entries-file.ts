import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Type from 'typebox';
import { storedJson } from '../platform/stored-json.ts';
import { fileVariableOf, readSettings } from './read.ts';
import { BadValue, type Setting, type Values } from './setting.ts';

const Written = Type.Union([Type.String(), Type.Boolean(), Type.Array(Type.String())]);
const readList = storedJson(Type.Array(Type.Record(Type.String(), Written)));

/** The type of the entries in a file, and the settings each must have. */
interface Kind<Table> {
  readonly table: Table;
  /** Prefix of the table's variables, which entries omit. */
  readonly prefix: string;
  readonly one: string;
  readonly many: string;
  readonly needed: readonly string[];
  mistakesOf(values: Values<Table>): (readonly [keyof Table & string, string])[];
  nameOf(values: Values<Table>): string;
}

/** The entries of a file, with its path. */
export interface EntriesFile<Entry> {
  readonly path: string;
  readonly entries: readonly Entry[];
}

/**
 * A file with several entries of a kind of which variables can describe only one, because secrets of several entries do
 * not fit into one variable.
 */
export function entriesFile<Table extends { [Name in keyof Table]: Setting<unknown> }>(
  env: string,
  help: string,
  kind: Kind<Table>,
): Setting<EntriesFile<Values<Table>> | undefined> {
  const parse = (path: string) => ({ path: resolve(path), entries: readEntries(path, kind) });
  return { kind: 'text', env, default: undefined, help, secret: false, parse, show: (file) => file?.path ?? '' };
}

function readEntries<Table extends { [Name in keyof Table]: Setting<unknown> }>(
  path: string,
  kind: Kind<Table>,
): Values<Table>[] {
  const read = listIn(path, kind.many).map((entry, at) => readEntry(entry, `${kind.one} ${at + 1}`, kind));
  const names = read.map(kind.nameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new BadValue(`expected ${kind.many} with different names: two are called ${twice}`);
  return read;
}

function listIn(path: string, many: string) {
  try {
    return readList(readFileSync(path, 'utf8'));
  } catch (error) {
    // Invalid JSON may contain a password, so its content is not quoted.
    const reason = error instanceof Error && 'code' in error ? error.message : 'invalid content';
    throw new BadValue(`expected a file with a list of ${many} in JSON: ${reason}`);
  }
}

function readEntry<Table extends { [Name in keyof Table]: Setting<unknown> }>(
  entry: Readonly<Record<string, string | boolean | readonly string[]>>,
  where: string,
  { table, prefix, needed, mistakesOf }: Kind<Table>,
): Values<Table> {
  const nameOf = (env: string | undefined) => `${env}`.slice(prefix.length).toLowerCase();
  const names = new Set(
    Object.values<Setting<unknown>>(table).flatMap(({ env = '', secret }) =>
      secret ? [nameOf(env), nameOf(fileVariableOf(env))] : [nameOf(env)],
    ),
  );
  const unknown = Object.keys(entry).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new BadValue(`${where}: unknown setting ${unknown.join(', ')}`);
  const env = Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [`${prefix}${name.toUpperCase()}`, String(value)]),
  );
  const { values, mistakes } = readSettings(table, [], env);
  const contradictions = mistakesOf(values).map(([name, text]) => `${nameOf(table[name].env)}: ${text}`);
  const missing = needed.filter((name) => !entry[name]).map((name) => `${name}: needed`);
  const found = [...mistakes, ...missing, ...contradictions];
  if (found.length > 0) throw new BadValue(`${where}: ${found.join('; ')}`);
  return values;
}
