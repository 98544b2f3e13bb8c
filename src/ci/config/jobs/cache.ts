import { Entry, flatten } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { maxNesting } from '../limits.ts';
import type { PlannedCache } from '../plan.ts';
import { isList, isMapping, type Mapping, type Value } from '../yaml/values.ts';

/** A cache whose key may be computed from files. */
export interface CacheEntry extends Omit<PlannedCache, 'key'> {
  readonly key: string | KeyFiles;
}

export interface KeyFiles {
  readonly kind: 'blob' | 'commit';
  readonly files: readonly string[];
  readonly prefix: string | null;
}

const keys = ['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys'];
const maxCaches = 4;
const maxFallbacks = 5;
const maxFiles = 2;

export function readCaches(value: Value | undefined, at: EntryPath, problems: Problems): CacheEntry[] {
  if (value === undefined || value === null) return [];
  const list = isList(value) ? flatten(value, maxNesting) : [value];
  if (list === undefined) {
    problems.add(at, 'config should be a hash or a array of hashes');
    return [];
  }
  if (list.length > maxCaches) problems.add(at, `config no more than ${maxCaches} caches can be created`);
  return list.flatMap((element) => {
    if (isMapping(element)) return element.size === 0 ? [] : [readCache(new Entry(element, at, problems))];
    problems.add(at, 'config should be a hash or a array of hashes');
    return [];
  });
}

function readCache(entry: Entry): CacheEntry {
  entry.allow(keys);
  const policy = entry.string('policy') ?? 'pull-push';
  if (!['pull-push', 'push', 'pull'].includes(policy) && !policy.includes('$')) {
    entry.fault('policy should be a variable or one of: pull-push, push, pull');
  }
  const fallbacks = entry.strings('fallback_keys') ?? [];
  if (fallbacks.length > maxFallbacks) entry.fault(`fallback keys has to many entries (maximum ${maxFallbacks})`);
  return {
    key: readKey(entry),
    paths: entry.strings('paths') ?? [],
    untracked: entry.boolean('untracked') ?? false,
    policy,
    when: entry.oneOf('when', ['on_success', 'on_failure', 'always'] as const) ?? 'on_success',
    unprotect: entry.boolean('unprotect') ?? false,
    fallbackKeys: fallbacks,
  };
}

function readKey(entry: Entry): string | KeyFiles {
  const value = entry.get('key');
  if (value === undefined) return 'default';
  if (isMapping(value)) return readKeyFiles(value, entry);
  if (typeof value === 'string') return keyText(value, entry.below('key'), entry.problems);
  entry.problems.add(entry.below('key'), 'should be a hash, a string or a symbol');
  return 'default';
}

function keyText(value: Value, at: EntryPath, problems: Problems): string {
  if (typeof value !== 'string') problems.add(at, 'config should be a string or symbol');
  else if (value.includes('/') || /%2F/i.test(value)) problems.add(at, 'config cannot contain the "/" character');
  else if (/^(\.|%2E){1,2}$/i.test(value)) problems.add(at, 'config cannot be "." or ".."');
  else return value;
  return '';
}

function readKeyFiles(value: Mapping, parent: Entry): KeyFiles {
  const entry = new Entry(value, parent.below('key'), parent.problems);
  entry.allow(['files', 'files_commits', 'prefix']);
  if (entry.has('files') === entry.has('files_commits')) {
    entry.fault('config should have exactly one of: files, files_commits');
  }
  const kind = entry.has('files') ? 'blob' : 'commit';
  const files = (kind === 'blob' ? entry.strings('files') : entry.strings('files_commits')) ?? [];
  if (files.length === 0 || files.length > maxFiles) {
    entry.problems.add(entry.below('files'), `config requires at least 1 item and has at most ${maxFiles}`);
  }
  const prefix = entry.get('prefix');
  return { kind, files, prefix: prefix === undefined ? null : keyText(prefix, entry.below('prefix'), entry.problems) };
}
