import { stringList } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { type Budget, sizeOf } from '../limits.ts';
import { isList, isMapping, type Mapping, type Value } from '../yaml/values.ts';

const keys = [
  'before_script after_script image services artifacts cache tags retry timeout interruptible id_tokens hooks identity',
].flatMap((line) => line.split(' '));
const topLevelKeys = ['image', 'services', 'cache', 'before_script', 'after_script'];

/** The `default:` mapping, merged with the deprecated top-level keywords. */
export function readDefaults(root: Mapping, problems: Problems): Mapping {
  const section = root.get('default') ?? new Map();
  const result = new Map<string, Value>();
  if (!isMapping(section)) problems.add(['default'], 'config should be a hash');
  else {
    const unknown = [...section.keys()].filter((key) => !keys.includes(key));
    if (unknown.length > 0) problems.add(['default'], `config contains unknown keys: ${unknown.join(', ')}`);
    for (const [key, value] of section) result.set(key, value);
  }
  for (const key of topLevelKeys) {
    const value = root.get(key) ?? null;
    if (value === null) continue;
    if (result.has(key))
      problems.addMessage(['default', key], `\`${key}\` is defined in top-level and \`default:\` entry`);
    else result.set(key, value);
  }
  return result;
}

/** What a job inherits: everything, nothing or the listed keys. */
export interface Inherit {
  readonly default: boolean | readonly string[];
  readonly variables: boolean | readonly string[];
}

export function readInherit(value: Value | undefined, at: EntryPath, problems: Problems): Inherit {
  const all: Inherit = { default: true, variables: true };
  if (value === undefined || value === null) return all;
  if (!isMapping(value)) {
    problems.add(at, 'config should be a hash');
    return all;
  }
  const unknown = [...value.keys()].filter((key) => key !== 'default' && key !== 'variables');
  if (unknown.length > 0) problems.add(at, `config contains unknown keys: ${unknown.join(', ')}`);
  const part = (key: string): boolean | readonly string[] => {
    const setting = value.get(key) ?? true;
    if (typeof setting === 'boolean') return setting;
    const list = isList(setting) ? stringList(setting) : undefined;
    if (list === undefined) problems.add([...at, key], 'config should be a bool or an array of strings');
    return list ?? true;
  };
  const defaults = part('default');
  const unknownKeys = typeof defaults === 'boolean' ? [] : defaults.filter((key) => !keys.includes(key));
  if (unknownKeys.length > 0)
    problems.add([...at, 'default'], `config contains unknown values: ${unknownKeys.join(', ')}`);
  return { default: defaults, variables: part('variables') };
}

/** Adds missing keys to a job from the defaults. Values are not merged: a key of the job replaces the default. */
export function withDefaults(job: Mapping, defaults: Mapping, inherit: Inherit['default'], budget: Budget): Mapping {
  if (inherit === false) return job;
  const result = new Map(job);
  for (const [key, value] of defaults) {
    if (inherit !== true && !inherit.includes(key)) continue;
    if ((result.get(key) ?? null) !== null) continue;
    budget.spend(sizeOf(value));
    result.set(key, value);
  }
  return result;
}
