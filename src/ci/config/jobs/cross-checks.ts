import type { Pace } from '../../../platform/concurrency.ts';
import type { Configuration } from '../configuration.ts';
import type { Problems } from '../errors.ts';
import type { JobNames } from './instances.ts';
import type { JobDefinition } from './job.ts';
import type { NeedEntry } from './needs.ts';

/** Validates references of jobs to each other and to stages. */
export async function checkJobs(
  configuration: Configuration,
  names: JobNames,
  problems: Problems,
  pace: Pace,
): Promise<void> {
  const byName = new Map(configuration.jobs.map((job) => [job.name, job]));
  const stages = new Map(configuration.stages.map((stage, index) => [stage, index]));
  const available = configuration.stages.join(', ');
  for (const job of configuration.jobs) {
    await pace.turn();
    if (!stages.has(job.stage)) {
      const text = `chosen stage ${job.stage} does not exist; available stages are ${available}`;
      problems.addMessage(['jobs', job.name, 'stage'], `${job.name} job: ${text}`);
      continue;
    }
    checkReferences(job, stages, names, problems);
    checkSubset(job, problems);
    if (configuration.workflow.rules === null) warnOfDuplicatePipelines(job, problems);
    checkStop(job, byName, problems);
  }
  if (!problems.any) checkCycles(needsGraph(configuration.jobs, names), problems);
}

function checkReferences(
  job: JobDefinition,
  stages: ReadonlyMap<string, number>,
  names: JobNames,
  problems: Problems,
): void {
  const ownStage = stages.get(job.stage) ?? 0;
  const checkReference = (other: string, relation: 'need' | 'dependency', optional: boolean) => {
    const target = names.definition(other);
    const at = ['jobs', job.name, relation === 'need' ? 'needs' : 'dependencies'];
    if (target === undefined) {
      if (!optional) problems.addMessage(at, `${job.name} job: undefined ${relation}: ${other}`);
      return;
    }
    const stage = stages.get(target.stage);
    if (stage === undefined || stage > ownStage) {
      problems.addMessage(at, `${job.name} job: ${relation} ${other} is not defined in current or prior stages`);
    }
  };
  // A child pipeline is read from the artifacts of a job.
  const generators =
    job.trigger?.include.flatMap((include) => (typeof include.job === 'string' ? include.job : [])) ?? [];
  for (const other of [...(job.dependencies ?? []), ...generators]) checkReference(other, 'dependency', false);
  const allNeeds = [...(job.needs ?? []), ...(job.rules ?? []).flatMap((rule) => rule.needs ?? [])];
  for (const need of allNeeds) if (need.type === 'job') checkReference(need.job, 'need', need.optional);
  for (const needs of [job.needs, ...(job.rules ?? []).map((rule) => rule.needs)]) {
    const duplicates = duplicateNeeds(needs ?? []);
    if (duplicates.length === 0) continue;
    const text = `${job.name} has the following needs duplicated: ${duplicates.join(', ')}.`;
    problems.addMessage(['jobs', job.name, 'needs'], text);
  }
}

/** Duplicate jobs in a list of needs. Matrix needs may list the same job several times. */
function duplicateNeeds(needs: readonly NeedEntry[]): string[] {
  const names = new Set<string>();
  const duplicates = new Set<string>();
  for (const need of needs) {
    if (need.type !== 'job' || need.matrix !== null) continue;
    (names.has(need.job) ? duplicates : names).add(need.job);
  }
  return [...duplicates];
}

/** Warns when a rule always matches: the job is then added to both branch and merge request pipelines. */
function warnOfDuplicatePipelines(job: JobDefinition, problems: Problems): void {
  const last = job.rules?.at(-1);
  if (last === undefined || last.when === null || last.when === 'never') return;
  if (last.if !== null || last.changes !== null || last.exists !== null) return;
  problems.warn(
    `jobs:${job.name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
  );
}

function checkSubset(job: JobDefinition, problems: Problems): void {
  // `needs: []` only affects when the job starts, not its artifacts.
  if (job.needs === null || job.needs.length === 0 || job.dependencies === null) return;
  const needed = new Set(job.needs.flatMap((need: NeedEntry) => (need.type === 'job' ? [need.job] : [])));
  const missing = job.dependencies.filter((name) => !needed.has(name));
  if (missing.length === 0) return;
  problems.add(['jobs', job.name], `dependencies the ${missing.join(', ')} should be part of needs`);
}

function checkStop(job: JobDefinition, byName: ReadonlyMap<string, JobDefinition>, problems: Problems): void {
  const name = job.environment?.onStop;
  if (name === undefined || name === null) return;
  const at = ['jobs', job.name, 'environment'];
  const stop = byName.get(name);
  const addError = (text: string) => problems.addMessage(at, `${job.name} job: on_stop job ${name} ${text}`);
  if (stop === undefined) addError('is not defined');
  else if (stop.environment === null) addError('does not have environment defined');
  else if (stop.environment.name !== job.environment?.name) addError('have different environment name');
  else if (stop.environment.action !== 'stop') addError('needs to have action stop defined');
}

function needsGraph(jobs: readonly JobDefinition[], names: JobNames): Map<string, string[]> {
  return new Map(
    jobs.map((job) => [
      job.name,
      (job.needs ?? []).flatMap((need) => (need.type === 'job' ? (names.definition(need.job)?.name ?? []) : [])),
    ]),
  );
}

/** Rejects circular needs, which would never complete. */
export function checkCycles(graph: ReadonlyMap<string, readonly string[]>, problems: Problems): void {
  const cycle = findCycle(graph);
  if (cycle === null) return;
  const [first] = cycle;
  const text =
    cycle.length === 1
      ? `self-dependency: ${first}`
      : `topological sort failed: [${cycle.map((name) => JSON.stringify(name)).join(', ')}]`;
  problems.addMessage(['jobs', first as string, 'needs'], `The pipeline has circular dependencies: ${text}`);
}

/** Removes jobs without remaining needs until none is left; the rest is part of a cycle or depends on one. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const waiting = new Map([...graph].map(([name, needs]) => [name, needs.filter((need) => graph.has(need)).length]));
  const dependents = new Map<string, string[]>();
  for (const [name, needs] of graph) {
    for (const need of needs) {
      const list = dependents.get(need);
      if (list === undefined) dependents.set(need, [name]);
      else list.push(name);
    }
  }
  const free = [...waiting].flatMap(([name, count]) => (count === 0 ? [name] : []));
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    waiting.delete(name);
    for (const dependent of dependents.get(name) ?? []) {
      const remaining = (waiting.get(dependent) ?? 0) - 1;
      waiting.set(dependent, remaining);
      if (remaining === 0) free.push(dependent);
    }
  }
  const start = waiting.keys().next().value;
  if (start === undefined) return null;
  const trail: string[] = [];
  let current: string = start;
  while (!trail.includes(current)) {
    trail.push(current);
    current = (graph.get(current) ?? []).find((need) => waiting.has(need)) as string;
  }
  return trail.slice(trail.indexOf(current));
}
