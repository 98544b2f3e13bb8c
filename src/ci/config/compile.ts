import { Pace } from '../../platform/concurrency.ts';
import { readConfiguration } from './configuration.ts';
import type { CompileContext, ConfigSource } from './context.ts';
import { ConfigFault, Positions, Problems } from './errors.ts';
import { type DeclaredInput, describeInputs } from './includes/describe-inputs.ts';
import { Loader } from './includes/include.ts';
import { checkJobs } from './jobs/cross-checks.ts';
import { JobNames } from './jobs/instances.ts';
import { Budget, defaultLimits } from './limits.ts';
import { type LintedJobs, lintJobs, mergedYaml } from './lint-result.ts';
import { Planner } from './planner.ts';
import type { Compilation, Examined, LintInclude } from './result.ts';
import { RuleMatcher } from './rules/rule-match.ts';
import { ValueMask } from './value-mask.ts';
import { resolveExtends } from './yaml/extends.ts';
import { resolveReferences } from './yaml/reference.ts';
import { fromPlain, isMapping, type Mapping } from './yaml/values.ts';

const filteredMessages = {
  workflow_rules: 'The pipeline did not run. Review the workflow:rules configuration for the pipeline.',
  rules: 'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
};

/**
 * Compiles a configuration into the plan of one pipeline. Errors of the author are part of the result; exceptions of
 * the context's functions are rethrown.
 */
export async function compile(source: ConfigSource, context: CompileContext): Promise<Compilation> {
  const positions = new Positions();
  const problems = new Problems(positions);
  const pace = new Pace();
  const mask = new ValueMask(context.variables(null));
  const state: CompilationState = { problems, mask, includes: [], root: null, jobs: null };
  const invalid = (): Compilation =>
    examined({ outcome: 'invalid', errors: problems.errors.map((error) => mask.error(error)) }, state);
  try {
    const limits = { ...defaultLimits, ...context.limits };
    const budget = new Budget(limits.values);
    const matcher = new RuleMatcher(context.repository);
    const loader = new Loader(context, limits, budget, matcher);
    const loaded = await load(source, loader, context, positions);
    state.includes = loaded.includes;
    const extended = await resolveExtends(loaded.merged, budget, pace);
    const root = await resolveReferences(extended, budget, pace);
    state.root = root;
    const configuration = await readConfiguration(root, problems, budget, pace);
    if (problems.any) return invalid();
    const names = await JobNames.read(configuration.jobs, budget, pace);
    await checkJobs(configuration, names, problems, pace);
    if (problems.any) return invalid();
    state.jobs = { configuration, names };
    const planner = new Planner(configuration, names, context, matcher, problems, limits, budget, pace);
    const planned = await planner.plan();
    if (problems.any) return invalid();
    if ('plan' in planned) return examined({ outcome: 'planned', plan: planned.plan }, state);
    const by = planned.filtered;
    return examined({ outcome: 'filtered', by, message: filteredMessages[by] }, state);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    problems.fault(error);
    return invalid();
  }
}

interface CompilationState {
  readonly problems: Problems;
  readonly mask: ValueMask;
  includes: readonly LintInclude[];
  root: Mapping | null;
  jobs: LintedJobs | null;
}

/** The lint output is created on demand: writing a large file takes as long as reading it. */
function examined<T extends object>(
  outcome: T,
  { problems, mask, includes, root, jobs }: CompilationState,
): T & Examined {
  return {
    ...outcome,
    warnings: problems.warnings,
    includes: includes.map((include) => mask.include(include)),
    mergedYaml: async () => (root === null ? null : mergedYaml(root)),
    lintJobs: async () => (jobs === null ? [] : lintJobs(jobs)),
  };
}

function load(source: ConfigSource, loader: Loader, context: CompileContext, positions: Positions) {
  if ('text' in source) return loader.root(source.text, fromPlain(context.inputs) as Mapping, positions);
  const { inputs } = context;
  // Inputs of the pipeline are those of the external file that the project uses as its configuration.
  const include: readonly Readonly<Record<string, unknown>>[] =
    Object.keys(inputs).length === 0 ? source.include : source.include.map((one) => ({ ...one, inputs }));
  return loader.list(include.map(fromPlain).filter(isMapping), positions);
}

/** The inputs that a configuration declares for its pipelines. */
export async function declaredInputs(
  source: ConfigSource,
  context: CompileContext,
): Promise<{ readonly inputs: readonly DeclaredInput[] } | { readonly error: string }> {
  try {
    const limits = { ...defaultLimits, ...context.limits };
    const loader = new Loader(context, limits, new Budget(limits.values), new RuleMatcher(context.repository));
    const header = await loader.header(source, new Positions());
    return { inputs: header === null ? [] : describeInputs(header) };
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return { error: new ValueMask(context.variables(null)).text(error.message) };
  }
}
