import { Entry, flatten } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { maxNesting } from '../limits.ts';
import type { PlannedImage, PlannedService } from '../plan.ts';
import { plainVariableKeys, readVariables } from '../variables/variables.ts';
import { isList, isMapping, type Value } from '../yaml/values.ts';

const imageKeys = ['name', 'entrypoint', 'pull_policy', 'docker', 'kubernetes'];
const serviceKeys = [...imageKeys, 'alias', 'command', 'variables'];
const maxOption = 255;
const pullPolicies = ['always', 'never', 'if-not-present'];
const executorKeys: readonly (readonly [string, readonly string[]])[] = [
  ['docker', ['platform', 'user']],
  ['kubernetes', ['user']],
];

export function readImage(value: Value | undefined, at: EntryPath, problems: Problems): PlannedImage | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') {
    if (value === '') problems.add(at, "name can't be blank");
    return imageNamed(value);
  }
  if (!isMapping(value)) {
    problems.add(at, 'config should be a hash or a string');
    return null;
  }
  const entry = new Entry(value, at, problems);
  entry.allow(imageKeys);
  return imageFrom(entry);
}

export function readServices(value: Value | undefined, at: EntryPath, problems: Problems): PlannedService[] {
  if (value === undefined || value === null) return [];
  const list = isList(value) ? flatten(value, maxNesting) : undefined;
  if (list === undefined) {
    problems.add(at, 'config should be a array');
    return [];
  }
  const servicePath = [...at, 'service'];
  return list.flatMap((one): PlannedService[] => {
    if (typeof one === 'string') return [{ ...imageNamed(one), alias: null, command: null, variables: [] }];
    if (isMapping(one)) return [readService(new Entry(one, servicePath, problems))];
    problems.add(servicePath, 'config should be a hash or a string');
    return [];
  });
}

function readService(entry: Entry): PlannedService {
  entry.allow(serviceKeys);
  return {
    ...imageFrom(entry),
    alias: entry.string('alias'),
    command: entry.strings('command'),
    variables: readVariables(entry.get('variables'), entry.below('variables'), entry.problems, plainVariableKeys),
  };
}

function imageNamed(name: string): PlannedImage {
  return { name, entrypoint: null, pullPolicy: null, executorOpts: {} };
}

function imageFrom(entry: Entry): PlannedImage {
  if (!entry.has('name')) entry.fault('config missing required keys: name');
  else if (entry.get('name') === '') entry.fault("name can't be blank");
  const policies = entry.stringOrStrings('pull_policy');
  if (policies?.length === 0) entry.problems.add(entry.below('pull_policy'), "config can't be blank");
  if (policies?.some((policy) => !pullPolicies.includes(policy))) {
    entry.problems.add(entry.below('pull_policy'), `config should be one of: ${pullPolicies.join(', ')}`);
  }
  return {
    name: entry.string('name') ?? '',
    entrypoint: entry.strings('entrypoint'),
    pullPolicy: policies,
    executorOpts: Object.fromEntries(
      executorKeys.flatMap(([executor, keys]) => {
        const options = entry.entry(executor);
        options?.allow(keys);
        return options === null ? [] : [[executor, texts(options, keys)]];
      }),
    ),
  };
}

function texts(entry: Entry, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      // A numeric user may be given as a number.
      const value = entry.get(key);
      const text = typeof value === 'number' ? String(value) : entry.string(key, maxOption);
      if (text === '') entry.fault(`${key} can't be blank`);
      return text === null ? [] : [[key, text]];
    }),
  );
}
