import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Type from 'typebox';
import { storedJson } from '../platform/stored-json.ts';
import { mistakesOf, type OneDirectory, oneDirectory } from './one-directory.ts';
import { readSettings } from './read.ts';
import { BadValue, type Setting } from './setting.ts';

/** Directories beside the first, and the file that they were read from. */
export interface DirectoryFile {
  readonly path: string;
  readonly directories: readonly OneDirectory[];
}

const Written = Type.Union([Type.String(), Type.Boolean(), Type.Array(Type.String())]);
const readList = storedJson(Type.Array(Type.Record(Type.String(), Written)));

const prefix = 'HEARTH_LDAP_';
const nameOf = (env: string | undefined) => `${env}`.slice(prefix.length).toLowerCase();
const names: ReadonlySet<string> = new Set(Object.values(oneDirectory).map(({ env }) => nameOf(env)));

/** A file with a list of directories: passwords of several do not fit into one variable. */
export function directoryFile(env: string, help: string): Setting<DirectoryFile | undefined> {
  const parse = (given: string) => ({ path: resolve(given), directories: readDirectories(given) });
  return { kind: 'text', env, default: undefined, help, secret: false, parse, show: (file) => file?.path ?? '' };
}

function readDirectories(path: string): OneDirectory[] {
  const read = listIn(path).map((entry, at) => readDirectory(entry, `directory ${at + 1}`));
  const providers = read.map(({ ldapProvider }) => ldapProvider);
  const twice = providers.find((provider, at) => providers.indexOf(provider) !== at);
  if (twice !== undefined) throw new BadValue(`expected directories of different names: two are called ${twice}`);
  return read;
}

function listIn(path: string) {
  try {
    return readList(readFileSync(path, 'utf8'));
  } catch (error) {
    // What cannot be read as JSON may hold a password: nothing of it is told.
    const reason = error instanceof Error && 'code' in error ? error.message : 'it is something else';
    throw new BadValue(`expected a file with a list of directories in JSON: ${reason}`);
  }
}

function readDirectory(entry: Readonly<Record<string, string | boolean | readonly string[]>>, where: string) {
  const unknown = Object.keys(entry).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new BadValue(`${where}: no such setting as ${unknown.join(', ')}`);
  const env = Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [`${prefix}${name.toUpperCase()}`, String(value)]),
  );
  const { values, mistakes } = readSettings(oneDirectory, [], env);
  const contradictions = mistakesOf(values).map(([name, text]) => `${nameOf(oneDirectory[name].env)}: ${text}`);
  const missing = ['url', 'provider'].filter((name) => !entry[name]).map((name) => `${name}: needed`);
  const found = [...mistakes, ...missing, ...contradictions];
  if (found.length > 0) throw new BadValue(`${where}: ${found.join('; ')}`);
  return values;
}
