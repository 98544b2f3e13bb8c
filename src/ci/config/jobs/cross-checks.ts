import type { Pace } from '../../../platform/concurrency.ts';
import type { Configuration } from '../configuration.ts';
import type { Problems } from '../errors.ts';
import type { JobNames } from './instances.ts';
import type { JobDefinition } from './job.ts';
import type { NeedEntry } from './needs.ts';

/** What jobs say about each other and about stages. */
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
      problems.say(['jobs', job.name, 'stage'], `${job.name} job: ${text}`);
      continue;
    }
    checkOthers(job, stages, names, problems);
    checkSubset(job, problems);
    if (configuration.workflow.rules === null) warnOfDoubles(job, problems);
    checkStop(job, byName, problems);
  }
  if (!problems.any) checkCircles(needsGraph(configuration.jobs, names), problems);
}

function checkOthers(
  job: JobDefinition,
  stages: ReadonlyMap<string, number>,
  names: JobNames,
  problems: Problems,
): void {
  const own = stages.get(job.stage) ?? 0;
  const look = (other: string, word: 'need' | 'dependency', optional: boolean) => {
    const target = names.definition(other);
    const at = ['jobs', job.name, word === 'need' ? 'needs' : 'dependencies'];
    if (target === undefined) {
      if (!optional) problems.say(at, `${job.name} job: undefined ${word}: ${other}`);
      return;
    }
    const stage = stages.get(target.stage);
    if (stage === undefined || stage > own) {
      problems.say(at, `${job.name} job: ${word} ${other} is not defined in current or prior stages`);
    }
  };
  for (const other of job.dependencies ?? []) look(other, 'dependency', false);
  const all = [...(job.needs ?? []), ...(job.rules ?? []).flatMap((rule) => rule.needs ?? [])];
  for (const need of all) if (need.type === 'job') look(need.job, 'need', need.optional);
  for (const needs of [job.needs, ...(job.rules ?? []).map((rule) => rule.needs)]) {
    const doubled = namedTwice(needs ?? []);
    if (doubled.length === 0) continue;
    const text = `${job.name} has the following needs duplicated: ${doubled.join(', ')}.`;
    problems.say(['jobs', job.name, 'needs'], text);
  }
}

/** Jobs that a list of needs names more than once; instances of a matrix may be chosen line by line. */
function namedTwice(needs: readonly NeedEntry[]): string[] {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const need of needs) {
    if (need.type !== 'job' || need.matrix !== null) continue;
    (seen.has(need.job) ? doubled : seen).add(need.job);
  }
  return [...doubled];
}

/** A rule that always matches lets the job into the pipelines of a branch and of its merge request alike. */
function warnOfDoubles(job: JobDefinition, problems: Problems): void {
  const last = job.rules?.at(-1);
  if (last === undefined || last.when === null || last.when === 'never') return;
  if (last.if !== null || last.changes !== null || last.exists !== null) return;
  problems.warn(
    `jobs:${job.name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
  );
}

function checkSubset(job: JobDefinition, problems: Problems): void {
  // `needs: []` says when the job starts, and nothing about artifacts.
  if (job.needs === null || job.needs.length === 0 || job.dependencies === null) return;
  const needed = new Set(job.needs.flatMap((need: NeedEntry) => (need.type === 'job' ? [need.job] : [])));
  const strange = job.dependencies.filter((name) => !needed.has(name));
  if (strange.length === 0) return;
  problems.add(['jobs', job.name], `dependencies the ${strange.join(', ')} should be part of needs`);
}

function checkStop(job: JobDefinition, byName: ReadonlyMap<string, JobDefinition>, problems: Problems): void {
  const name = job.environment?.onStop;
  if (name === undefined || name === null) return;
  const at = ['jobs', job.name, 'environment'];
  const stop = byName.get(name);
  const say = (text: string) => problems.say(at, `${job.name} job: on_stop job ${name} ${text}`);
  if (stop === undefined) say('is not defined');
  else if (stop.environment === null) say('does not have environment defined');
  else if (stop.environment.name !== job.environment?.name) say('have different environment name');
  else if (stop.environment.action !== 'stop') say('needs to have action stop defined');
}

function needsGraph(jobs: readonly JobDefinition[], names: JobNames): Map<string, string[]> {
  return new Map(
    jobs.map((job) => [
      job.name,
      (job.needs ?? []).flatMap((need) => (need.type === 'job' ? (names.definition(need.job)?.name ?? []) : [])),
    ]),
  );
}

/** Jobs that wait for each other would wait for ever. */
export function checkCircles(graph: ReadonlyMap<string, readonly string[]>, problems: Problems): void {
  const circle = findCircle(graph);
  if (circle === null) return;
  const [only] = circle;
  const text =
    circle.length === 1
      ? `self-dependency: ${only}`
      : `topological sort failed: [${circle.map((name) => JSON.stringify(name)).join(', ')}]`;
  problems.say(['jobs', only as string, 'needs'], `The pipeline has circular dependencies: ${text}`);
}

/** Takes away what waits for nothing that is left, until nothing goes; what stays is in or behind a circle. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const waiting = new Map([...graph].map(([name, needs]) => [name, needs.filter((need) => graph.has(need)).length]));
  const dependents = new Map<string, string[]>();
  for (const [name, needs] of graph) {
    for (const need of needs) {
      const known = dependents.get(need);
      if (known === undefined) dependents.set(need, [name]);
      else known.push(name);
    }
  }
  const free = [...waiting].flatMap(([name, count]) => (count === 0 ? [name] : []));
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    waiting.delete(name);
    for (const dependent of dependents.get(name) ?? []) {
      const left = (waiting.get(dependent) ?? 0) - 1;
      waiting.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  const start = waiting.keys().next().value;
  if (start === undefined) return null;
  const trail: string[] = [];
  let here: string = start;
  while (!trail.includes(here)) {
    trail.push(here);
    here = (graph.get(here) ?? []).find((need) => waiting.has(need)) as string;
  }
  return trail.slice(trail.indexOf(here));
}
