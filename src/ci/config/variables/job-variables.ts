import type { CompileContext, ContextVariable } from '../context.ts';
import type { VariableLookup } from '../expressions/expression.ts';
import type { Inherit } from '../jobs/default.ts';
import type { JobDefinition } from '../jobs/job.ts';
import type { Instance } from '../jobs/matrix.ts';
import type { PlannedVariable } from '../plan.ts';
import { slug } from './slug.ts';
import { Expansion } from './variable-expansion.ts';
import { mergeVariables } from './variables.ts';

/** Layered variables; the first layer with a name wins. Nothing is copied, because each job may have thousands. */
export class VariableScope {
  private readonly layers: readonly ReadonlyMap<string, ContextVariable>[];
  private readonly late: CompileContext['pipelineVariables'];

  constructor(layers: readonly ReadonlyMap<string, ContextVariable>[], late: CompileContext['pipelineVariables']) {
    this.layers = layers;
    this.late = late;
  }

  readonly find = (name: string): ContextVariable | undefined => {
    for (const layer of this.layers) {
      const found = layer.get(name);
      if (found !== undefined) return found;
    }
    const { late } = this;
    return late !== undefined && Object.hasOwn(late, name) ? { key: name, value: late[name]?.() ?? '' } : undefined;
  };

  /** Unexpanded values, for expressions. */
  readonly raw: VariableLookup = (name) => this.find(name)?.value;

  /** Expanded values, for names and tags. */
  expanded(): VariableLookup {
    const expansion = new Expansion(this.find);
    return (name) => expansion.value(name);
  }
}

/** Creates the variable scopes of a pipeline. */
export class VariableScopes {
  private readonly context: CompileContext;
  private readonly predefined: ReadonlyMap<string, ContextVariable>;
  private readonly settings = new Map<string | null, ReadonlyMap<string, ContextVariable>>();

  constructor(context: CompileContext) {
    this.context = context;
    this.predefined = byKey(Object.entries(context.predefined).map(([key, value]) => ({ key, value })));
  }

  /** Layers of the file, highest first, between settings and predefined variables. */
  scope(layers: readonly ReadonlyMap<string, ContextVariable>[], environment: string | null): VariableScope {
    return new VariableScope(
      [this.settingsOf(environment), ...layers, this.predefined],
      this.context.pipelineVariables,
    );
  }

  /** Scope of workflow rules, which are evaluated before the pipeline exists. */
  workflowScope(variables: ReadonlyMap<string, ContextVariable>): VariableScope {
    return new VariableScope([this.settingsOf(null), variables, this.predefined], undefined);
  }

  private settingsOf(environment: string | null): ReadonlyMap<string, ContextVariable> {
    const cached = this.settings.get(environment);
    if (cached !== undefined) return cached;
    const settings = byKey(this.context.variables(environment));
    this.settings.set(environment, settings);
    return settings;
  }
}

export function byKey<T extends ContextVariable>(variables: readonly T[]): Map<string, T> {
  return new Map(variables.map((variable) => [variable.key, variable]));
}

/** Top-level variables, filtered by what each job inherits. */
export class TopVariables {
  private readonly all: readonly PlannedVariable[];
  private readonly map: ReadonlyMap<string, PlannedVariable>;

  constructor(all: readonly PlannedVariable[]) {
    this.all = all;
    this.map = byKey(all);
  }

  for(inherit: Inherit['variables']): {
    readonly list: readonly PlannedVariable[];
    readonly map: ReadonlyMap<string, PlannedVariable>;
  } {
    if (inherit === true) return { list: this.all, map: this.map };
    const list = inherit === false ? [] : this.all.filter(({ key }) => inherit.includes(key));
    return { list, map: byKey(list) };
  }
}

/** Variables of a job, overridden by those of its matrix instance. */
export function ownVariables(job: JobDefinition, instance: Instance): PlannedVariable[] {
  return mergeVariables(
    job.variables,
    instance.variables.map(([key, value]) => ({ key, value, raw: false })),
  );
}

/** Predefined variables of a job that are known before it exists, for rules. */
export function jobPredefined(job: JobDefinition, instance: Instance, environment: string | null): ContextVariable[] {
  const values: [string, string | null | undefined][] = [
    ['CI_JOB_NAME', instance.name],
    ['CI_JOB_NAME_SLUG', slug(instance.name)],
    ['CI_JOB_GROUP_NAME', job.name],
    ['CI_JOB_STAGE', job.stage],
    ['CI_NODE_INDEX', job.parallel === null ? null : String(instance.index)],
    ['CI_NODE_TOTAL', String(instance.total)],
    ['CI_ENVIRONMENT_NAME', environment],
    ['CI_ENVIRONMENT_ACTION', job.environment?.action],
    ['CI_ENVIRONMENT_TIER', job.environment?.deploymentTier],
    ['CI_ENVIRONMENT_URL', job.environment?.url],
  ];
  return values.flatMap(([key, value]) => (typeof value === 'string' ? [{ key, value }] : []));
}
