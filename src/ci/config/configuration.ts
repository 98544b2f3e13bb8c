import type { Pace } from '../../platform/concurrency.ts';
import { Entry, flatStrings } from './entry.ts';
import type { Problems } from './errors.ts';
import { readDefaults, readInherit, withDefaults } from './jobs/default.ts';
import { type JobDefinition, readJob } from './jobs/job.ts';
import { mirrorsUpstream } from './jobs/needs.ts';
import { type Budget, maxNesting } from './limits.ts';
import type { AutoCancel, PlannedVariable } from './plan.ts';
import { type Rule, readRules } from './rules/rules.ts';
import { readAutoCancel } from './rules/workflow-auto-cancel.ts';
import { readVariables, topVariableKeys } from './variables/variables.ts';
import { isList, isMapping, type Mapping, type Value } from './yaml/values.ts';

interface Workflow {
  readonly name: string | null;
  readonly rules: readonly Rule[] | null;
  readonly autoCancel: Partial<AutoCancel>;
}

const none: Workflow = { name: null, rules: null, autoCancel: {} };

function readWorkflow(value: Value | undefined, problems: Problems): Workflow {
  if (value === undefined || value === null) return none;
  if (!isMapping(value)) {
    problems.add(['workflow'], 'config should be a hash');
    return none;
  }
  const entry = new Entry(value, ['workflow'], problems);
  entry.allow(['rules', 'name', 'auto_cancel']);
  const name = entry.string('name', 255);
  if (name?.trim() === '') entry.problems.add(entry.below('name'), 'config is too short (minimum is 1 character)');
  return {
    name,
    rules: readRules(entry.get('rules'), 'workflow', entry.below('rules'), problems),
    autoCancel: readAutoCancel(entry.entry('auto_cancel')),
  };
}

/** A parsed configuration, independent of the pipeline. */
export interface Configuration {
  readonly stages: readonly string[];
  readonly workflow: Workflow;
  readonly variables: readonly PlannedVariable[];
  readonly jobs: readonly JobDefinition[];
}

/** Top-level keys that are not jobs. */
const reserved = new Set(
  'default include variables stages types workflow spec image services before_script after_script cache'.split(' '),
);

export async function readConfiguration(
  root: Mapping,
  problems: Problems,
  budget: Budget,
  pace: Pace,
): Promise<Configuration> {
  const defaults = validatedDefaults(readDefaults(root, problems), problems);
  const jobs: JobDefinition[] = [];
  for (const [name, value] of root) {
    if (reserved.has(name) || name.startsWith('.')) continue;
    const job = jobOf(name, value, defaults, problems, budget);
    if (job !== null) jobs.push(readJob(name, job));
    await pace.turn();
  }
  if (jobs.length === 0 && !problems.any) problems.add(['jobs'], 'config should contain at least one visible job');
  return {
    stages: readStages(root.get('stages') ?? root.get('types'), problems),
    workflow: readWorkflow(root.get('workflow'), problems),
    variables: readVariables(root.get('variables'), ['variables'], problems, topVariableKeys),
    jobs,
  };
}

/** Validates the defaults once, so that an error is reported even if no job uses them, and only once. */
function validatedDefaults(defaults: Mapping, problems: Problems): Mapping {
  const job = new Map<string, Value>([...defaults, ['script', 'true']]);
  readJob('default', new Entry(job, ['default'], problems));
  return problems.any ? new Map() : defaults;
}

function jobOf(name: string, value: Value, defaults: Mapping, problems: Problems, budget: Budget): Entry | null {
  const at = ['jobs', name];
  if (name.trim() === '') {
    problems.add(['jobs'], "job name can't be blank");
    return null;
  }
  const build = isMapping(value) && ['script', 'run'].some((key) => (value.get(key) ?? null) !== null);
  const bridge = isMapping(value) && ((value.get('trigger') ?? null) !== null || mirrorsUpstream(value.get('needs')));
  if (!isMapping(value) || (!build && !bridge)) {
    problems.addMessage(at, `jobs ${name} config should implement the script:, run:, or trigger: keyword`);
    return null;
  }
  const { default: inherited } = readInherit(value.get('inherit'), [...at, 'inherit'], problems);
  const applicable = build ? defaults : new Map([...defaults].filter(([key]) => key === 'interruptible'));
  return new Entry(withDefaults(value, applicable, inherited, budget), at, problems);
}

function readStages(value: Value | undefined, problems: Problems): string[] {
  const list =
    value === undefined || value === null
      ? ['build', 'test', 'deploy']
      : isList(value)
        ? flatStrings(value)
        : undefined;
  if (list === undefined) {
    const text = `config should be an array of strings or a nested array of strings up to ${maxNesting} levels deep`;
    problems.add(['stages'], text);
  }
  const declared = (list ?? []).filter((stage) => stage !== '.pre' && stage !== '.post');
  return ['.pre', ...new Set(declared), '.post'];
}
