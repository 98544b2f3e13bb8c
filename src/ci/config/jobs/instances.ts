import type { Pace } from '../../../platform/concurrency.ts';
import type { Budget } from '../limits.ts';
import type { JobDefinition } from './job.ts';
import { type Instance, matrixInstances, matrixNames, numberedInstances } from './matrix.ts';
import type { NeedEntry } from './needs.ts';

/** Whether rules want an instance or not, its name has to be known: so much it is worth of the budget. */
const instanceValues = 50;

function instancesOf(job: JobDefinition): Instance[] {
  if (job.parallel === null) return [{ name: job.name, index: 1, total: 1, variables: [] }];
  if ('count' in job.parallel) return numberedInstances(job.name, job.parallel.count);
  return matrixInstances(job.name, job.parallel.matrix);
}

/** Finds jobs by the names that other jobs call them: as the file has it, or that of one instance. */
export class JobNames {
  private readonly definitions = new Map<string, JobDefinition>();
  private readonly instances = new Map<string, readonly string[]>();
  private readonly byJob = new Map<JobDefinition, readonly Instance[]>();

  static async read(jobs: readonly JobDefinition[], budget: Budget, pace: Pace): Promise<JobNames> {
    const names = new JobNames();
    for (const job of jobs) {
      const instances = instancesOf(job);
      budget.spend(instances.length * instanceValues);
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

  /** The jobs of a pipeline that a job of the file comes to. */
  instancesOf(job: JobDefinition): readonly Instance[] {
    return this.byJob.get(job) ?? [];
  }

  definition(name: string): JobDefinition | undefined {
    return this.definitions.get(name);
  }

  /** All jobs of a pipeline that the name stands for. */
  of(name: string): readonly string[] {
    return this.instances.get(name) ?? [name];
  }

  ofNeed(need: Extract<NeedEntry, { type: 'job' }>, by: Instance): readonly string[] {
    return need.matrix === null ? this.of(need.job) : matrixNames(need.job, need.matrix, by);
  }
}
