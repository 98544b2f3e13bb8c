import type { RefFacts } from '../context.ts';
import type { JobDefinition } from '../jobs/job.ts';
import type { NeedEntry } from '../jobs/needs.ts';
import type { JobWhen, PlannedVariable } from '../plan.ts';
import type { VariableScope } from '../variables/job-variables.ts';
import { expandKnown } from '../variables/variable-expansion.ts';
import { type Policy, refMatches } from './only-except.ts';
import type { RuleMatcher } from './rule-match.ts';

/** Result of the rules of a job that is part of the pipeline. */
export interface Choice {
  readonly when: JobWhen;
  readonly startIn: number | null;
  readonly allowFailure: boolean;
  readonly allowFailureExitCodes: readonly number[];
  readonly interruptible: boolean;
  readonly needs: readonly NeedEntry[] | null;
  readonly variables: readonly PlannedVariable[];
}

/** Default of jobs without rules: branches and tags, but not merge requests. */
const defaultPolicy: Policy = { refs: ['branches', 'tags'], variables: null, changes: null, kubernetes: false };

/**
 * Evaluates whether a job is part of the pipeline, and how it runs. `implicit`: jobs without `only` are excluded from
 * merge request pipelines, which is the default unless the file has `workflow:rules`.
 */
export async function evaluateJobRules(
  job: JobDefinition,
  scope: VariableScope,
  matcher: RuleMatcher,
  ref: RefFacts,
  implicit: boolean,
): Promise<Choice | null> {
  const { when, startIn, interruptible, needs, allowFailureExitCodes } = job;
  const mayFail = job.allowFailure ?? when === 'manual';
  if (job.rules !== null) {
    const rule = await matcher.first(job.rules, scope, null);
    if (rule === undefined || rule.when === 'never') return null;
    return {
      when: rule.when ?? when,
      startIn: rule.when === null ? startIn : rule.startIn,
      // A job with its own `when: manual` does not block, whatever its rules say; one made manual only by a rule does.
      allowFailure: rule.allowFailure ?? mayFail,
      allowFailureExitCodes: rule.allowFailure === null ? allowFailureExitCodes : [],
      interruptible: rule.interruptible ?? interruptible,
      needs: rule.needs ?? needs,
      variables: rule.variables,
    };
  }
  // An `only` without refs is limited to the default ones as well.
  const only = job.only ? { ...job.only, refs: job.only.refs ?? defaultPolicy.refs } : implicit ? defaultPolicy : null;
  const context = { scope, matcher, ref };
  if (only !== null && !(await every(only, context))) return null;
  if (job.except !== null && (await some(job.except, context))) return null;
  return { when, startIn, interruptible, needs, allowFailure: mayFail, allowFailureExitCodes, variables: [] };
}

interface PolicyContext {
  readonly scope: VariableScope;
  readonly matcher: RuleMatcher;
  readonly ref: RefFacts;
}

function parts(policy: Policy, { scope, matcher, ref }: PolicyContext): (() => boolean | Promise<boolean>)[] {
  const { refs, variables, changes, kubernetes } = policy;
  const expanded = (path: string) => expandKnown(path, scope.raw);
  return [
    ...(refs === null ? [] : [() => refMatches(refs, ref)]),
    ...(variables === null ? [] : [() => variables.some((expression) => matcher.holds(expression, scope.raw))]),
    ...(changes === null ? [] : [() => matcher.changed(changes.map(expanded), null)]),
    // Clusters are not supported.
    ...(kubernetes ? [() => false] : []),
  ];
}

async function every(policy: Policy, context: PolicyContext): Promise<boolean> {
  for (const part of parts(policy, context)) if (!(await part())) return false;
  return true;
}

async function some(policy: Policy, context: PolicyContext): Promise<boolean> {
  for (const part of parts(policy, context)) if (await part()) return true;
  return false;
}
