import { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { CompileContext } from './context.ts';
import { ConfigFault, Positions, Problems } from './errors.ts';
import { Loader } from './includes/include.ts';
import { checkJobs } from './jobs/cross-checks.ts';
import { instancesOf, JobNames } from './jobs/instances.ts';
import type { JobDefinition } from './jobs/job.ts';
import { Budget, defaultLimits } from './limits.ts';
import { Planner } from './planner.ts';
import type { Compilation, Examined, LintInclude, LintJob } from './result.ts';
import { RuleMatcher } from './rules/rule-match.ts';
import { resolveExtends } from './yaml/extends.ts';
import { resolveReferences } from './yaml/reference.ts';
import { plainScalar } from './yaml/scalars.ts';
import { Decimal, fromPlain, isList, isMapping, type Mapping, type Value } from './yaml/values.ts';

/** The configuration as one file, for the lint answer: nothing in it stands for anything else any more. */
function mergedYaml(root: Mapping): string {
  const document = new Document(node(root), { schema: 'failsafe', aliasDuplicateObjects: false });
  return `---\n${document.toString({ lineWidth: 0, indentSeq: false })}`;
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

/** Text that would be read as something else is quoted; all else is written as the reader takes it. */
function scalar(value: Value): Scalar {
  if (typeof value !== 'string') {
    const bare = new Scalar(value === null ? '' : value instanceof Decimal ? value.text : String(value));
    bare.type = Scalar.PLAIN;
    return bare;
  }
  const text = new Scalar(value);
  if (value === '<<' || plainScalar(value) !== value) text.type = Scalar.QUOTE_DOUBLE;
  else if (value.includes('\n')) text.type = Scalar.BLOCK_LITERAL;
  return text;
}

/** The jobs of a file in the order of its stages, for the lint answer without a dry run. */
function lintJobs(configuration: Configuration): LintJob[] {
  const implicit = configuration.workflow.rules === null;
  return configuration.stages.flatMap((stage) =>
    configuration.jobs
      .filter((job) => job.stage === stage)
      .flatMap((job) => instancesOf(job).map(({ name }) => lintJob(name, job, implicit))),
  );
}

function lintJob(name: string, job: JobDefinition, implicit: boolean): LintJob {
  const { only, except } = job.written;
  const unlessSaid = implicit && job.rules === null ? { refs: ['branches', 'tags'] } : null;
  return {
    name,
    stage: job.stage,
    beforeScript: job.beforeScript,
    script: job.script,
    afterScript: job.afterScript,
    tagList: job.tags,
    only: only === null ? unlessSaid : Array.isArray(only) ? { refs: only } : only,
    except: Array.isArray(except) ? { refs: except } : except,
    environment: job.environment?.name ?? null,
    when: job.when,
    allowFailure: job.allowFailure ?? (job.when === 'manual' && job.rules === null),
    needs: job.written.needs,
  };
}

/** A file's text, or the list of includes that a child pipeline is made of. */
export type ConfigSource =
  | { readonly text: string }
  | { readonly include: readonly Readonly<Record<string, unknown>>[] };

const filteredMessages = {
  workflow_rules: 'The pipeline did not run. Review the workflow:rules configuration for the pipeline.',
  rules: 'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
};

/**
 * Turns a configuration into the plan of one pipeline. What the author did wrong is in the outcome; what the context's own
 * functions throw is thrown on.
 */
export async function compile(source: ConfigSource, context: CompileContext): Promise<Compilation> {
  const positions = new Positions();
  const problems = new Problems(positions);
  const seen: Seen = { problems, includes: [], root: null, configuration: null };
  const invalid = (): Compilation => examined({ outcome: 'invalid', errors: problems.errors }, seen);
  try {
    const limits = { ...defaultLimits, ...context.limits };
    const budget = new Budget(limits.values);
    const matcher = new RuleMatcher(context.repository);
    const loader = new Loader(context, limits, budget, matcher);
    const loaded = await load(source, loader, context, positions);
    seen.includes = loaded.includes;
    const root = resolveReferences(resolveExtends(loaded.merged, budget), budget);
    seen.root = root;
    const configuration = readConfiguration(root, problems, budget, context.secrets ?? false);
    if (problems.any) return invalid();
    const names = new JobNames(configuration.jobs);
    checkJobs(configuration, names, problems);
    if (problems.any) return invalid();
    seen.configuration = configuration;
    const planner = new Planner(configuration, names, context, matcher, problems, limits, budget);
    const planned = await planner.plan();
    if (problems.any) return invalid();
    if ('plan' in planned) return examined({ outcome: 'planned', plan: planned.plan }, seen);
    const by = planned.filtered;
    return examined({ outcome: 'filtered', by, message: filteredMessages[by] }, seen);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    problems.fault(error);
    return invalid();
  }
}

interface Seen {
  readonly problems: Problems;
  includes: readonly LintInclude[];
  root: Mapping | null;
  configuration: Configuration | null;
}

/** What only the lint answer wants is made when it is asked for: to write a large file out takes as long as to read it. */
function examined<T extends object>(outcome: T, { problems, includes, root, configuration }: Seen): T & Examined {
  return Object.defineProperties(
    { ...outcome, warnings: problems.warnings, includes, mergedYaml: null, lintJobs: [] },
    {
      mergedYaml: { enumerable: true, get: () => (root === null ? null : mergedYaml(root)) },
      lintJobs: { enumerable: true, get: () => (configuration === null ? [] : lintJobs(configuration)) },
    },
  );
}

function load(source: ConfigSource, loader: Loader, context: CompileContext, positions: Positions) {
  if ('text' in source) return loader.root(source.text, fromPlain(context.inputs) as Mapping, positions);
  return loader.list(source.include.map(fromPlain).filter(isMapping), positions);
}
