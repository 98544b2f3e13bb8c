import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from './nearest.ts';
import { BadValue, type Setting, type Settings, type Values } from './setting.ts';

/** Origin of a value. */
export type Source = 'flag' | 'environment' | 'default';

/** The result of reading settings: values, positional arguments and all mistakes. */
export interface Reading<Table> {
  values: Values<Table>;
  sources: Readonly<Record<keyof Table, Source>>;
  words: string[];
  mistakes: string[];
}

/** Returns the flag of a setting: `databaseUrl` is `--database-url`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reads a table of settings: flags take precedence over the environment, which takes precedence over defaults. */
export function readSettings<Table extends { [Name in keyof Table]: Setting<unknown> }>(
  table: Table,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Reading<Table> {
  const mistakes: string[] = [];
  const { given, words } = readFlags(table, argv, mistakes);
  const read = Object.entries<Setting<unknown>>(table).map(([name, setting]) => {
    const flag = given.get(flagOf(name));
    // An empty variable means "not set" in shells and compose files.
    const variable = setting.env === undefined ? undefined : env[setting.env] || inFile(setting, env, mistakes);
    if (flag !== undefined) return { name, source: 'flag', value: parse(setting, flag, flagOf(name), mistakes) };
    if (variable === undefined) return { name, source: 'default', value: setting.default };
    return { name, source: 'environment', value: parse(setting, variable, `${setting.env}`, mistakes) };
  });
  const values = Object.fromEntries(read.map(({ name, value }) => [name, value])) as Values<Table>;
  const sources = Object.fromEntries(read.map(({ name, source }) => [name, source])) as Record<keyof Table, Source>;
  return { values, sources, words, mistakes };
}

/** Returns the variable that names a file containing the secret, as mounted by containers. */
export const fileVariableOf = (variable: string): string => `${variable}_FILE`;

function inFile({ env: variable = '', secret }: Setting<unknown>, env: NodeJS.ProcessEnv, mistakes: string[]) {
  const path = secret ? env[fileVariableOf(variable)] : undefined;
  if (!path) return undefined;
  try {
    // Editors end a file with a newline, which is not part of the secret.
    const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (content !== '') return content;
    mistakes.push(`${fileVariableOf(variable)}: ${path} is empty`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    mistakes.push(`${fileVariableOf(variable)}: ${error.message}`);
  }
  return undefined;
}

function parse(setting: Setting<unknown>, written: string, source: string, mistakes: string[]): unknown {
  try {
    return setting.parse(setting.secret ? written : written.trim());
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    mistakes.push(`${source}: ${error.message}${setting.secret ? '' : `, not ${JSON.stringify(written)}`}`);
    return setting.default;
  }
}

function readFlags(table: Settings, argv: readonly string[], mistakes: string[]) {
  const kinds = Object.entries(table).map(([name, setting]) => {
    const type: 'boolean' | 'string' = setting.kind === 'boolean' ? 'boolean' : 'string';
    return [flagOf(name).slice(2), { type }] as const;
  });
  const options = Object.fromEntries(kinds);
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const given = new Map<string, string>();
  const words: string[] = [];
  let afterUnknown = -1;
  for (const token of tokens) {
    // The word after an unknown flag is most likely its value: report one mistake, not two.
    if (token.kind === 'positional' && token.index !== afterUnknown) words.push(token.value);
    if (token.kind !== 'option') continue;
    const negated = token.name.startsWith('no-') && options[token.name.slice(3)]?.type === 'boolean';
    const name = negated ? token.name.slice(3) : token.name;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      mistakes.push(unknownFlag(token.rawName, Object.keys(options)));
      if (token.value === undefined) afterUnknown = token.index + 1;
    } else if (option.type === 'boolean') given.set(`--${name}`, negated ? 'false' : (token.value ?? 'true'));
    else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--')))
      mistakes.push(`${token.rawName}: expected a value after it`);
    else given.set(`--${name}`, token.value);
  }
  return { given, words };
}

function unknownFlag(flag: string, known: readonly string[]): string {
  const close = nearest(flag.replace(/^-+/, ''), known);
  return `${flag}: no such flag${close === undefined ? '' : `; did you mean --${close}?`}`;
}
