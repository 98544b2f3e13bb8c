import type { IncludeRequest } from '../context.ts';
import { durationSeconds } from '../duration.ts';
import { Entry, stringList } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { VariableLookup } from '../expressions/expression.ts';
import { type Rule, readRules } from '../rules/rules.ts';
import { expand } from '../variables/variable-expansion.ts';
import { isList, isMapping, type Mapping, plain, type Value } from '../yaml/values.ts';

/** A parsed entry of `include`. */
export interface IncludeEntry {
  readonly requests: readonly IncludeRequest[];
  readonly rules: readonly Rule[] | null;
  readonly inputs: Mapping;
  /** Expected digest of a remote file, as `sha256-…`. */
  readonly integrity: string | null;
}

const kinds = ['local', 'file', 'remote', 'template', 'artifact', 'component'];
const keys = [...kinds, 'project', 'ref', 'job', 'rules', 'inputs', 'integrity', 'cache'];
const at: EntryPath = ['include'];

/** Parses `include`. Predefined and project variables are expanded everywhere in it. */
export function readIncludes(value: Value | undefined, variables: VariableLookup, problems: Problems): IncludeEntry[] {
  if (value === undefined || value === null) return [];
  const list = isList(value) ? (value.flat(1) as Value[]) : [value];
  return list.flatMap((one) => {
    if (typeof one === 'string') return [shortForm(expand(one, variables))];
    if (isMapping(one)) return readEntry(new Entry(one, at, problems), one, variables) ?? [];
    problems.add(at, 'config should be a array of hashes and strings');
    return [];
  });
}

function shortForm(location: string): IncludeEntry {
  const request: IncludeRequest = isAddress(location)
    ? { type: 'remote', url: location }
    : { type: 'local', path: location };
  return { requests: [request], rules: null, inputs: new Map(), integrity: null };
}

export function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

function readEntry(entry: Entry, source: Mapping, variables: VariableLookup): IncludeEntry | null {
  const used = kinds.filter((kind) => entry.has(kind));
  const quoted = `\`${JSON.stringify(plain(source))}\``;
  if (used.length === 0) {
    const valid = kinds.map((kind) => `\`${kind}\``).join(', ');
    entry.problems.addMessage(at, `${quoted} does not have a valid subkey for include. Valid subkeys are: ${valid}`);
    return null;
  }
  if (used.length > 1) {
    entry.problems.addMessage(at, `Each include must use only one of: ${used.map((kind) => `\`${kind}\``).join(', ')}`);
    return null;
  }
  entry.allow(keys);
  if (entry.has('cache') && used[0] !== 'remote') entry.fault('cache can only be used with remote');
  const inputs = entry.get('inputs');
  if (inputs !== undefined && !isMapping(inputs)) entry.problems.add(entry.below('inputs'), 'config should be a hash');
  return {
    requests: requests(used[0] as string, entry, variables),
    rules: readRules(entry.get('rules'), 'include', entry.below('rules'), entry.problems),
    inputs: isMapping(inputs) ? inputs : new Map(),
    integrity: entry.string('integrity'),
  };
}

const hour = 3600;
const minCacheSeconds = 60;

/** How long a remote file is cached; null when it is fetched for every pipeline. */
function cacheDuration(entry: Entry): number | null {
  const value = entry.get('cache');
  if (typeof value === 'boolean' || value === undefined) return value ? hour : null;
  const seconds = typeof value === 'string' ? durationSeconds(value) : null;
  if (seconds !== null && seconds >= minCacheSeconds) return seconds;
  entry.fault('cache should be a boolean or a duration of at least 1 minute');
  return null;
}

function requests(kind: string, entry: Entry, variables: VariableLookup): IncludeRequest[] {
  const text = (key: string): string | null => {
    const value = entry.string(key);
    return value === null ? null : expand(value, variables);
  };
  switch (kind) {
    case 'local':
      return [{ type: 'local', path: text('local') ?? '' }];
    case 'remote': {
      const cacheSeconds = cacheDuration(entry);
      return [{ type: 'remote', url: text('remote') ?? '', ...(cacheSeconds !== null && { cacheSeconds }) }];
    }
    case 'template':
      return [{ type: 'template', name: text('template') ?? '' }];
    case 'component':
      return [{ type: 'component', address: text('component') ?? '' }];
    case 'artifact':
      entry.require('job');
      return [{ type: 'artifact', file: text('artifact') ?? '', job: text('job') ?? '' }];
    default: {
      entry.require('project');
      const value = entry.get('file') as Value;
      const files = typeof value === 'string' ? [value] : stringList(value);
      if (files === undefined) entry.fault('file should be an array of strings or a string');
      const project = text('project') ?? '';
      const ref = text('ref');
      return (files ?? []).map((file) => ({ type: 'project', project, ref, file: expand(file, variables) }));
    }
  }
}
