import type { RefFacts } from '../context.ts';
import type { JobDefinition } from '../jobs/job.ts';
import type { NeedEntry } from '../jobs/needs.ts';
import type { JobWhen, PlannedVariable } from '../plan.ts';
import type { VariableScope } from '../variables/job-variables.ts';
import { expandKnown } from '../variables/variable-expansion.ts';
import { type Policy, refMatches } from './only-except.ts';
import type { RuleMatcher } from './rule-match.ts';

/** What the rules of a job come to, where they let it in. */
export interface Choice {
  readonly when: JobWhen;
  readonly startIn: number | null;
  readonly allowFailure: boolean;
  readonly interruptible: boolean;
  readonly needs: readonly NeedEntry[] | null;
  readonly variables: readonly PlannedVariable[];
}

/** Branches and tags, but no merge requests: what a job without any rule is for. */
const unlessSaid: Policy = { refs: ['branches', 'tags'], variables: null, changes: null, kubernetes: false };

/**
 * Whether the job is part of the pipeline, and how. `implicit`: a job without `only` keeps out of merge requests, as it does
 * unless the file has `workflow:rules`.
 */
export async function choose(
  job: JobDefinition,
  scope: VariableScope,
  matcher: RuleMatcher,
  ref: RefFacts,
  implicit: boolean,
): Promise<Choice | null> {
  const { when, startIn, interruptible, needs } = job;
  const mayFail = job.allowFailure ?? when === 'manual';
  if (job.rules !== null) {
    const rule = await matcher.first(job.rules, scope.raw, null);
    if (rule === undefined || rule.when === 'never') return null;
    return {
      when: rule.when ?? when,
      startIn: rule.when === null ? startIn : rule.startIn,
      // A job that is manual by itself does not block, whatever its rules say; one that only a rule makes manual does.
      allowFailure: rule.allowFailure ?? mayFail,
      interruptible: rule.interruptible ?? interruptible,
      needs: rule.needs ?? needs,
      variables: rule.variables,
    };
  }
  const only = job.only ?? (implicit ? unlessSaid : null);
  const asked = { scope, matcher, ref };
  if (only !== null && !(await every(only, asked))) return null;
  if (job.except !== null && (await some(job.except, asked))) return null;
  return { when, startIn, interruptible, needs, allowFailure: mayFail, variables: [] };
}

interface Asked {
  readonly scope: VariableScope;
  readonly matcher: RuleMatcher;
  readonly ref: RefFacts;
}

function parts(policy: Policy, { scope, matcher, ref }: Asked): (() => boolean | Promise<boolean>)[] {
  const { refs, variables, changes, kubernetes } = policy;
  const known = (path: string) => expandKnown(path, scope.raw);
  return [
    ...(refs === null ? [] : [() => refMatches(refs, ref)]),
    ...(variables === null ? [] : [() => variables.some((expression) => matcher.holds(expression, scope.raw))]),
    ...(changes === null ? [] : [() => matcher.changed(changes.map(known), null)]),
    // No cluster is ever attached here.
    ...(kubernetes ? [() => false] : []),
  ];
}

async function every(policy: Policy, asked: Asked): Promise<boolean> {
  for (const part of parts(policy, asked)) if (!(await part())) return false;
  return true;
}

async function some(policy: Policy, asked: Asked): Promise<boolean> {
  for (const part of parts(policy, asked)) if (await part()) return true;
  return false;
}
