import { Entry, flatten } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { maxNesting } from '../limits.ts';
import type { PipelineNeed, ProjectNeed } from '../plan.ts';
import { isList, isMapping, scalarText, type Value } from '../yaml/values.ts';
import { type MatrixRow, readMatrix } from './matrix.ts';

/** A parsed entry of `needs`. */
export type NeedEntry =
  | {
      readonly type: 'job';
      readonly job: string;
      readonly artifacts: boolean;
      readonly optional: boolean;
      /** The selected matrix instances; null for all. */
      readonly matrix: readonly MatrixRow[] | null;
    }
  | ({ readonly type: 'pipeline' } & PipelineNeed)
  /** The latest pipeline of another project, mirrored by a bridge. */
  | { readonly type: 'bridge'; readonly project: string }
  | ({ readonly type: 'project' } & ProjectNeed);

const maxExternalNeeds = 5;

export function readNeeds(
  value: Value,
  at: EntryPath,
  problems: Problems,
  of: 'build' | 'bridge' | 'rule',
): NeedEntry[] {
  const list = isList(value) ? flatten(value, maxNesting) : isMapping(value) ? [value] : undefined;
  if (list === undefined) {
    problems.add(at, 'config can only be a hash or an array');
    return [];
  }
  const needs = list.flatMap((one) => readNeed(one, at, problems) ?? []);
  for (const type of ['pipeline', 'project']) {
    const count = needs.filter((need) => need.type === type).length;
    if (count > maxExternalNeeds) problems.add(at, `config should have at most ${maxExternalNeeds} ${type} needs`);
    if (count > 0 && of !== 'build') problems.add(at, `config uses invalid types: ${type}`);
  }
  if (of !== 'bridge' && needs.some(({ type }) => type === 'bridge')) {
    problems.add(at, 'config uses invalid types: bridge');
  }
  return needs;
}

/** Whether `needs` refers to the pipeline of another project as a whole, which makes the job a bridge. */
export function mirrorsUpstream(value: Value | undefined): boolean {
  const list = isList(value) ? value : [value];
  return list.some(
    (one) => isMapping(one) && (one.get('pipeline') ?? null) !== null && (one.get('job') ?? null) === null,
  );
}

function readNeed(value: Value, at: EntryPath, problems: Problems): NeedEntry | null {
  const path = [...at, 'need'];
  const name = scalarText(value);
  if (name !== undefined) return { type: 'job', job: name, artifacts: true, optional: false, matrix: null };
  if (!isMapping(value)) {
    problems.add(path, 'has an unsupported type');
    return null;
  }
  const entry = new Entry(value, path, problems);
  if (entry.has('project')) return projectNeed(entry);
  if (entry.has('pipeline')) return pipelineNeed(entry);
  entry.allow(['job', 'artifacts', 'optional', 'parallel']);
  entry.require('job');
  const parallel = entry.entry('parallel');
  parallel?.allow(['matrix']);
  return {
    type: 'job',
    job: scalarText(entry.get('job')) ?? '',
    artifacts: entry.boolean('artifacts') ?? true,
    optional: entry.boolean('optional') ?? false,
    matrix: parallel === null ? null : readMatrix(parallel.get('matrix'), parallel.below('matrix'), problems),
  };
}

function pipelineNeed(entry: Entry): NeedEntry {
  if (!entry.has('job')) {
    entry.allow(['pipeline']);
    return { type: 'bridge', project: entry.string('pipeline') ?? '' };
  }
  entry.allow(['pipeline', 'job', 'artifacts', 'optional']);
  const pipeline = entry.string('pipeline') ?? '';
  const need = { pipeline, job: entry.string('job') ?? '', artifacts: entry.boolean('artifacts') ?? true };
  return { type: 'pipeline', ...need, ...(entry.boolean('optional') && { optional: true }) };
}

function projectNeed(entry: Entry): NeedEntry {
  entry.allow(['project', 'ref', 'job', 'artifacts']);
  entry.require('ref', 'job');
  return {
    type: 'project',
    project: entry.string('project') ?? '',
    ref: scalarText(entry.get('ref')) ?? '',
    job: entry.string('job') ?? '',
    artifacts: entry.boolean('artifacts') ?? true,
  };
}
