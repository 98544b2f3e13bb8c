import { Entry } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { PlannedTrigger, TriggerInclude } from '../plan.ts';
import { isList, isMapping, plain, type Value } from '../yaml/values.ts';

const maxIncludes = 3;
const includeKeys = [
  ...['local', 'file', 'project', 'ref', 'template', 'artifact', 'job', 'component', 'remote'],
  ...['inputs', 'rules', 'integrity'],
];
const forwardByDefault = { yamlVariables: true, pipelineVariables: false };

export function readTrigger(value: Value, at: EntryPath, problems: Problems): PlannedTrigger | null {
  if (typeof value === 'string') {
    const none = { branch: null, include: [], strategy: null, forward: forwardByDefault, inputs: {} };
    return value === '' ? blank(at, problems) : { project: value, ...none };
  }
  if (!isMapping(value)) {
    problems.add(at, 'has to be either a string or a hash');
    return null;
  }
  const entry = new Entry(value, at, problems);
  const child = entry.has('include');
  entry.allow(
    child ? ['strategy', 'include', 'forward', 'inputs'] : ['project', 'branch', 'strategy', 'forward', 'inputs'],
  );
  if (!child && (entry.get('project') ?? '') === '') return blank(at, problems);
  return {
    project: child ? null : entry.string('project'),
    branch: entry.string('branch'),
    include: child ? readIncludes(entry) : [],
    strategy: entry.oneOf('strategy', ['depend', 'mirror'] as const),
    forward: readForward(entry.entry('forward')),
    inputs: readInputs(entry, child),
  };
}

function blank(at: EntryPath, problems: Problems): null {
  problems.add(at, "project can't be blank");
  return null;
}

function readInputs(entry: Entry, child: boolean): Readonly<Record<string, unknown>> {
  const inputs = entry.entry('inputs');
  if (inputs === null) return {};
  if (child) entry.fault('config contains unknown keys: inputs');
  return Object.fromEntries(inputs.keys().map((key) => [key, plain(inputs.get(key))]));
}

function readForward(entry: Entry | null): PlannedTrigger['forward'] {
  if (entry === null) return forwardByDefault;
  entry.allow(['yaml_variables', 'pipeline_variables']);
  return {
    yamlVariables: entry.boolean('yaml_variables') ?? forwardByDefault.yamlVariables,
    pipelineVariables: entry.boolean('pipeline_variables') ?? forwardByDefault.pipelineVariables,
  };
}

function readIncludes(entry: Entry): TriggerInclude[] {
  const value = entry.get('include') as Value;
  const at = entry.below('include');
  const list = isList(value) ? value : [value];
  if (list.length > maxIncludes) entry.problems.add(at, `config is too long (maximum is ${maxIncludes})`);
  return list.flatMap((one): TriggerInclude[] => {
    if (typeof one === 'string') return [/^https?:\/\//i.test(one) ? { remote: one } : { local: one }];
    if (!isMapping(one)) {
      entry.problems.add(at, 'config should be a array of hashes and strings');
      return [];
    }
    const include = new Entry(one, at, entry.problems);
    include.allow(includeKeys);
    if (include.has('artifact') && !include.has('job'))
      include.fault('config must specify the job where to fetch the artifact from');
    return [plain(one) as TriggerInclude];
  });
}
