import { createHash } from 'node:crypto';
import type { Pace } from '../../platform/concurrency.ts';
import type { Configuration } from './configuration.ts';
import type { CompileContext, Limits, RepositoryFacts } from './context.ts';
import type { Problems } from './errors.ts';
import type { CacheEntry } from './jobs/cache.ts';
import { checkCycles } from './jobs/cross-checks.ts';
import type { JobNames } from './jobs/instances.ts';
import type { JobDefinition } from './jobs/job.ts';
import type { Instance } from './jobs/matrix.ts';
import type { NeedEntry } from './jobs/needs.ts';
import type { Budget } from './limits.ts';
import type { Plan, PlannedCache, PlannedJob, PlannedNeed, PlannedVariable, PlannedWorkflow } from './plan.ts';
import { type Choice, evaluateJobRules } from './rules/job-rules.ts';
import type { RuleMatcher } from './rules/rule-match.ts';
import {
  byKey,
  jobPredefined,
  ownVariables,
  TopVariables,
  type VariableScope,
  VariableScopes,
} from './variables/job-variables.ts';
import { expand, expandKnown } from './variables/variable-expansion.ts';
import { mergeVariables } from './variables/variables.ts';

/** Splits `needs` by target and expands parallel jobs to all their instances. */
function plannedNeeds(
  needs: readonly NeedEntry[] | null,
  names: JobNames,
  instance: Instance,
): Pick<PlannedJob, 'needs' | 'pipelineNeeds' | 'projectNeeds'> {
  // A job that only mirrors a pipeline keeps following the stage order.
  const mirrorsOnly = needs !== null && needs.length > 0 && needs.every(({ type }) => type === 'bridge');
  if (needs === null || mirrorsOnly) return { needs: null, pipelineNeeds: [], projectNeeds: [] };
  const jobs = new Map<string, PlannedNeed>();
  for (const need of needs) {
    if (need.type !== 'job') continue;
    for (const name of names.ofNeed(need, instance)) {
      jobs.set(name, { name, artifacts: need.artifacts, optional: need.optional });
    }
  }
  const pipelineNeeds = needs.flatMap((need) => (need.type === 'pipeline' ? [withoutType(need)] : []));
  const projectNeeds = needs.flatMap((need) => (need.type === 'project' ? [withoutType(need)] : []));
  // A job with `needs` ignores the stage order, even if it only needs jobs of other pipelines.
  return { needs: [...jobs.values()], pipelineNeeds, projectNeeds };
}

function withoutType<T extends { readonly type: string }>(need: T): Omit<T, 'type'> {
  const { type: _type, ...rest } = need;
  return rest;
}

/** Computes a key from files: the digest of their IDs, or `default` when none exists. */
async function resolveCache(cache: CacheEntry, repository: RepositoryFacts): Promise<PlannedCache> {
  const { key } = cache;
  if (typeof key === 'string') return { ...cache, key };
  const ids = [...new Set(await repository.fileIds(key.kind, key.files))].sort();
  const digest = ids.length === 0 ? 'default' : createHash('sha1').update(ids.join('-')).digest('hex');
  return { ...cache, key: key.prefix === null ? digest : `${key.prefix}-${digest}` };
}

export type Planned = { readonly plan: Plan } | { readonly filtered: 'workflow_rules' | 'rules' };

const workflowFiltered: Planned = { filtered: 'workflow_rules' };

/** Evaluates the rules of a configuration for one pipeline and plans its jobs. */
export class Planner {
  private readonly configuration: Configuration;
  private readonly names: JobNames;
  private readonly context: CompileContext;
  private readonly matcher: RuleMatcher;
  private readonly problems: Problems;
  private readonly limits: Limits;
  private readonly budget: Budget;
  private readonly pace: Pace;
  private readonly variableScopes: VariableScopes;

  constructor(
    configuration: Configuration,
    names: JobNames,
    context: CompileContext,
    matcher: RuleMatcher,
    problems: Problems,
    limits: Limits,
    budget: Budget,
    pace: Pace,
  ) {
    this.configuration = configuration;
    this.names = names;
    this.context = context;
    this.matcher = matcher;
    this.problems = problems;
    this.limits = limits;
    this.budget = budget;
    this.pace = pace;
    this.variableScopes = new VariableScopes(context);
  }

  async plan(): Promise<Planned> {
    const workflow = await this.workflow();
    if (workflow === null) return workflowFiltered;
    const jobs: PlannedJob[] = [];
    const top = new TopVariables(workflow.variables);
    for (const job of this.configuration.jobs) {
      for (const instance of this.names.instancesOf(job)) {
        await this.pace.turn();
        const planned = await this.job(job, instance, top);
        if (planned !== null) jobs.push(planned);
        if (jobs.length > this.limits.jobs) {
          this.problems.addMessage(['jobs'], `The number of jobs has exceeded the limit of ${this.limits.jobs}.`);
          return { filtered: 'rules' };
        }
      }
    }
    if (jobs.every(({ stage }) => stage === '.pre' || stage === '.post')) return { filtered: 'rules' };
    this.checkNeeds(jobs);
    return { plan: inStageOrder(workflow, this.configuration.stages, jobs) };
  }

  private async workflow(): Promise<PlannedWorkflow | null> {
    const { workflow, variables } = this.configuration;
    const before = this.variableScopes.workflowScope(byKey(variables));
    const rule = workflow.rules === null ? null : await this.matcher.first(workflow.rules, before, null);
    if (rule === undefined || rule?.when === 'never') return null;
    const own = mergeVariables(variables, rule?.variables ?? []);
    const scope = this.variableScopes.scope([byKey(own)], null).expanded();
    return {
      name: workflow.name === null ? null : expand(workflow.name, scope).trim().slice(0, 255) || null,
      autoCancel: { onNewCommit: 'conservative', onJobFailure: 'none', ...workflow.autoCancel, ...rule?.autoCancel },
      variables: own,
    };
  }

  private async job(job: JobDefinition, instance: Instance, top: TopVariables): Promise<PlannedJob | null> {
    const inherited = top.for(job.inherit.variables);
    const own = ownVariables(job, instance);
    this.budget.spend(inherited.list.length + own.length + job.script.length + 20);
    const jobLayers = [byKey(own), inherited.map];
    const early = this.variableScopes.scope([...jobLayers, byKey(jobPredefined(job, instance, null))], null);
    const environment = job.environment === null ? null : expand(job.environment.name, early.expanded());
    const layers = [...jobLayers, byKey(jobPredefined(job, instance, environment))];
    const scope = environment === null ? early : this.variableScopes.scope(layers, environment);
    const implicit = this.configuration.workflow.rules === null;
    const choice = await evaluateJobRules(job, scope, this.matcher, this.context.ref, implicit);
    if (choice === null) return null;
    const variables = mergeVariables(inherited.list, own, choice.variables);
    const final = this.variableScopes.scope([byKey(choice.variables), ...layers], environment);
    return this.buildJob(job, instance, choice, variables, final);
  }

  private async buildJob(
    job: JobDefinition,
    instance: Instance,
    choice: Choice,
    variables: readonly PlannedVariable[],
    scope: VariableScope,
  ): Promise<PlannedJob> {
    const { caches, only: _only, except: _except, rules: _rules, written: _written, inherit: _inherit, ...rest } = job;
    const values = scope.expanded();
    return {
      ...rest,
      name: instance.name,
      groupName: job.name,
      stageIndex: 0,
      variables,
      // Unknown variables stay: without its tag, the job could run anywhere.
      tags: [...new Set(job.tags.map((tag) => expandKnown(tag, values)).filter((tag) => tag !== ''))],
      when: choice.when,
      startIn: choice.startIn,
      allowFailure: choice.allowFailure,
      allowFailureExitCodes: choice.allowFailureExitCodes,
      interruptible: choice.interruptible,
      ...plannedNeeds(choice.needs, this.names, instance),
      dependencies: job.dependencies?.flatMap((name) => this.names.of(name)) ?? null,
      cache: await Promise.all(caches.map((cache) => resolveCache(cache, this.context.repository))),
      environment: job.environment && {
        ...job.environment,
        name: expand(job.environment.name, values),
        deploymentTier: job.environment.deploymentTier && expand(job.environment.deploymentTier, values),
      },
      resourceGroup: job.resourceGroup === null ? null : expand(job.resourceGroup, values) || null,
      parallel: job.parallel === null ? null : { index: instance.index, total: instance.total },
    };
  }

  /** Validates needs now that the jobs of the pipeline are known. */
  private checkNeeds(jobs: PlannedJob[]): void {
    const present = new Set(jobs.map(({ name }) => name));
    for (const [index, job] of jobs.entries()) {
      if (job.needs === null) continue;
      const { length } = job.needs;
      if (length > this.limits.needs) {
        const text = `one job can only need ${this.limits.needs} others, but you have listed ${length}`;
        this.problems.addMessage(
          ['jobs', job.groupName, 'needs'],
          `${job.name}: ${text}. See needs keyword documentation for more details`,
        );
      }
      for (const need of job.needs) if (!present.has(need.name) && !need.optional) this.reportMissing(job, need.name);
      jobs[index] = { ...job, needs: job.needs.filter((need) => present.has(need.name)) };
    }
    const graph = new Map(jobs.map((job) => [job.name, (job.needs ?? []).map(({ name }) => name)]));
    if (!this.problems.any) checkCycles(graph, this.problems);
  }

  private reportMissing(job: PlannedJob, name: string): void {
    this.problems.addMessage(
      ['jobs', job.groupName, 'needs'],
      `'${job.name}' job needs '${name}' job, but '${name}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`,
    );
  }
}

function inStageOrder(workflow: PlannedWorkflow, stages: readonly string[], jobs: readonly PlannedJob[]): Plan {
  const usedStages = new Set(jobs.map((job) => job.stage));
  const used = stages.filter((stage) => usedStages.has(stage));
  const byStage = new Map(used.map((stage, index) => [stage, index]));
  const placed = jobs.map((job) => ({ ...job, stageIndex: byStage.get(job.stage) ?? 0 }));
  return { workflow, stages: used, jobs: placed.sort((left, right) => left.stageIndex - right.stageIndex) };
}
