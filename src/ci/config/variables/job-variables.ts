import type { CompileContext, ContextVariable } from '../context.ts';
import type { VariableLookup } from '../expressions/expression.ts';
import type { Inherit } from '../jobs/default.ts';
import type { JobDefinition } from '../jobs/job.ts';
import type { Instance } from '../jobs/matrix.ts';
import type { PlannedVariable } from '../plan.ts';
import { slug } from './slug.ts';
import { Expansion } from './variable-expansion.ts';
import { layered } from './variables.ts';

/** Variables in layers, the first layer that knows a name wins. Nothing is copied: there may be thousands for each job. */
export class VariableScope {
  private readonly layers: readonly ReadonlyMap<string, ContextVariable>[];
  private readonly late: CompileContext['ofPipeline'];

  constructor(layers: readonly ReadonlyMap<string, ContextVariable>[], late: CompileContext['ofPipeline']) {
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

  /** As it stands, for expressions: what a variable refers to is not looked at there. */
  readonly raw: VariableLookup = (name) => this.find(name)?.value;

  /** With references resolved, for names and tags. */
  expanded(): VariableLookup {
    const expansion = new Expansion(this.find);
    return (name) => expansion.value(name);
  }
}

/** What every scope of a pipeline has in common. */
export class VariableGround {
  private readonly context: CompileContext;
  private readonly predefined: ReadonlyMap<string, ContextVariable>;
  private readonly settings = new Map<string | null, ReadonlyMap<string, ContextVariable>>();

  constructor(context: CompileContext) {
    this.context = context;
    this.predefined = byKey(Object.entries(context.predefined).map(([key, value]) => ({ key, value })));
  }

  /** What the file says in layers, the highest first, under what is set outside and over what is predefined. */
  scope(layers: readonly ReadonlyMap<string, ContextVariable>[], environment: string | null): VariableScope {
    return new VariableScope([this.settingsOf(environment), ...layers, this.predefined], this.context.ofPipeline);
  }

  /** The same for the rules of the workflow, which are asked before there is a pipeline. */
  workflowScope(variables: ReadonlyMap<string, ContextVariable>): VariableScope {
    return new VariableScope([this.settingsOf(null), variables, this.predefined], undefined);
  }

  private settingsOf(environment: string | null): ReadonlyMap<string, ContextVariable> {
    const known = this.settings.get(environment);
    if (known !== undefined) return known;
    const settings = byKey(this.context.variables(environment));
    this.settings.set(environment, settings);
    return settings;
  }
}

export function byKey<T extends ContextVariable>(variables: readonly T[]): Map<string, T> {
  return new Map(variables.map((variable) => [variable.key, variable]));
}

/** The top-level variables, as far as each job wants them. */
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

/** A job's own variables, those of its place in the matrix over them. */
export function ownVariables(job: JobDefinition, instance: Instance): PlannedVariable[] {
  return layered(
    job.variables,
    instance.variables.map(([key, value]) => ({ key, value, raw: false })),
  );
}

/** Predefined variables of a job that rules may ask for: what is known of it before it exists. */
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
