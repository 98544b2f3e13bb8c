import { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { Pace } from '../../platform/concurrency.ts';
import type { Configuration } from './configuration.ts';
import type { JobNames } from './jobs/instances.ts';
import type { JobDefinition } from './jobs/job.ts';
import { sizeOf } from './limits.ts';
import type { LintJob } from './result.ts';
import { plainScalar } from './yaml/scalars.ts';
import { Decimal, isList, isMapping, type Mapping, type Value } from './yaml/values.ts';

/** Larger configurations are not written out: this takes several seconds and megabytes. */
const maxValues = 500_000;

/**
 * Writes the fully expanded configuration as one file, job by job to let other requests proceed. Null when it would be
 * too large.
 */
export async function mergedYaml(root: Mapping): Promise<string | null> {
  if (sizeOf(root) > maxValues) return null;
  if (root.size === 0) return '---\n{}\n';
  const pace = new Pace();
  const parts = ['---\n'];
  for (const [key, value] of root) {
    await pace.turn();
    const document = new Document(node(new Map([[key, value]])), { schema: 'failsafe', aliasDuplicateObjects: false });
    parts.push(document.toString({ lineWidth: 0, indentSeq: false }));
  }
  return parts.join('');
}

function node(value: Value): unknown {
  if (isMapping(value)) {
    const map = new YAMLMap();
    for (const [key, inner] of value) map.add({ key: scalar(key), value: node(inner) });
    map.flow = value.size === 0;
    return map;
  }
  if (isList(value)) {
    const list = new YAMLSeq();
    for (const inner of value) list.items.push(node(inner));
    list.flow = value.length === 0;
    return list;
  }
  return scalar(value);
}

/** Quotes text that would otherwise be read as another type; everything else is written plainly. */
function scalar(value: Value): Scalar {
  if (typeof value !== 'string') {
    const plain = new Scalar(value === null ? '' : value instanceof Decimal ? value.text : String(value));
    plain.type = Scalar.PLAIN;
    return plain;
  }
  const text = new Scalar(value);
  if (value === '<<' || plainScalar(value) !== value) text.type = Scalar.QUOTE_DOUBLE;
  else if (value.includes('\n')) text.type = Scalar.BLOCK_LITERAL;
  return text;
}

/** Parsed jobs with their names. */
export interface LintedJobs {
  readonly configuration: Configuration;
  readonly names: JobNames;
}

/** The jobs of a file in stage order, for the lint result without a dry run. */
export async function lintJobs({ configuration, names }: LintedJobs): Promise<LintJob[]> {
  const implicit = configuration.workflow.rules === null;
  const byStage = Map.groupBy(configuration.jobs, ({ stage }) => stage);
  const pace = new Pace();
  const jobs: LintJob[] = [];
  for (const job of configuration.stages.flatMap((stage) => byStage.get(stage) ?? [])) {
    await pace.turn();
    for (const { name } of names.instancesOf(job)) jobs.push(lintJob(name, job, implicit));
  }
  return jobs;
}

function lintJob(name: string, job: JobDefinition, implicit: boolean): LintJob {
  const { only, except } = job.written;
  const defaultRefs = implicit && job.rules === null ? { refs: ['branches', 'tags'] } : null;
  return {
    name,
    stage: job.stage,
    beforeScript: job.beforeScript,
    script: job.script,
    afterScript: job.afterScript,
    tagList: job.tags,
    only: only === null ? defaultRefs : Array.isArray(only) ? { refs: only } : only,
    except: Array.isArray(except) ? { refs: except } : except,
    environment: job.environment?.name ?? null,
    when: job.when,
    allowFailure: job.allowFailure ?? (job.when === 'manual' && job.rules === null),
    needs: job.written.needs,
  };
}
