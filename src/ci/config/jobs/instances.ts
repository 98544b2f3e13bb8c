import type { Pace } from '../../../platform/concurrency.ts';
import type { Budget } from '../limits.ts';
import type { JobDefinition } from './job.ts';
import { type Instance, matrixInstances, matrixNames, numberedInstances } from './matrix.ts';
import type { NeedEntry } from './needs.ts';

/** Budget cost of an instance: its name is kept even if rules exclude it. */
const instanceCost = 50;

function instancesOf(job: JobDefinition): Instance[] {
  if (job.parallel === null) return [{ name: job.name, index: 1, total: 1, variables: [] }];
  if ('count' in job.parallel) return numberedInstances(job.name, job.parallel.count);
  return matrixInstances(job.name, job.parallel.matrix);
}

/** Resolves names of jobs in `needs` and `dependencies`: the name in the file, or that of one instance. */
export class JobNames {
  private readonly definitions = new Map<string, JobDefinition>();
  private readonly instances = new Map<string, readonly string[]>();
  private readonly byJob = new Map<JobDefinition, readonly Instance[]>();

  static async read(jobs: readonly JobDefinition[], budget: Budget, pace: Pace): Promise<JobNames> {
    const names = new JobNames();
    for (const job of jobs) {
      const instances = instancesOf(job);
      budget.spend(instances.length * instanceCost);
      names.add(job, instances);
      await pace.turn();
    }
    return names;
  }

  private add(job: JobDefinition, instances: readonly Instance[]): void {
    const names = instances.map(({ name }) => name);
    for (const name of names) {
      if (!this.definitions.has(name)) this.definitions.set(name, job);
      if (!this.instances.has(name)) this.instances.set(name, [name]);
    }
    this.byJob.set(job, instances);
    this.definitions.set(job.name, job);
    this.instances.set(job.name, names);
  }

  /** The instances of a job of the file. */
  instancesOf(job: JobDefinition): readonly Instance[] {
    return this.byJob.get(job) ?? [];
  }

  definition(name: string): JobDefinition | undefined {
    return this.definitions.get(name);
  }

  /** All instances that a name refers to. */
  of(name: string): readonly string[] {
    return this.instances.get(name) ?? [name];
  }

  ofNeed(need: Extract<NeedEntry, { type: 'job' }>, by: Instance): readonly string[] {
    return need.matrix === null ? this.of(need.job) : matrixNames(need.job, need.matrix, by);
  }
}
