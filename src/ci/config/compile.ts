import { readConfiguration } from './configuration.ts';
import type { CompileContext } from './context.ts';
import { checkJobs } from './cross-checks.ts';
import { ConfigFault, Positions, Problems } from './errors.ts';
import { resolveExtends } from './extends.ts';
import { Loader } from './include.ts';
import { JobNames } from './instances.ts';
import { Budget, defaultLimits } from './limits.ts';
import { lintJobs } from './lint-jobs.ts';
import { mergedYaml } from './merged-yaml.ts';
import { Planner } from './planner.ts';
import { resolveReferences } from './reference.ts';
import type { Compilation, LintInclude, LintJob } from './result.ts';
import { RuleMatcher } from './rule-match.ts';
import { fromPlain, isMapping, type Mapping } from './values.ts';

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
  const seen: { includes: readonly LintInclude[]; mergedYaml: string | null; lintJobs: readonly LintJob[] } = {
    includes: [],
    mergedYaml: null,
    lintJobs: [],
  };
  const invalid = (): Compilation => ({
    outcome: 'invalid',
    errors: problems.errors,
    warnings: problems.warnings,
    ...seen,
  });
  try {
    const limits = { ...defaultLimits, ...context.limits };
    const budget = new Budget(limits.values);
    const matcher = new RuleMatcher(context.repository);
    const loader = new Loader(context, limits, budget, matcher);
    const loaded = await load(source, loader, context, positions);
    seen.includes = loaded.includes;
    const root = resolveReferences(resolveExtends(loaded.merged, budget), budget);
    seen.mergedYaml = mergedYaml(root);
    const configuration = readConfiguration(root, problems, budget, context.secrets ?? false);
    if (problems.any) return invalid();
    const names = new JobNames(configuration.jobs);
    checkJobs(configuration, names, problems);
    if (problems.any) return invalid();
    seen.lintJobs = lintJobs(configuration);
    const planner = new Planner(configuration, names, context, matcher, problems, limits, budget);
    const planned = await planner.plan();
    if (problems.any) return invalid();
    const { warnings } = problems;
    if ('plan' in planned) return { outcome: 'planned', plan: planned.plan, warnings, ...seen };
    const by = planned.filtered;
    return { outcome: 'filtered', by, message: filteredMessages[by], warnings, ...seen };
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    problems.fault(error);
    return invalid();
  }
}

function load(source: ConfigSource, loader: Loader, context: CompileContext, positions: Positions) {
  if ('text' in source) return loader.root(source.text, fromPlain(context.inputs) as Mapping, positions);
  return loader.list(source.include.map(fromPlain).filter(isMapping), positions);
}
