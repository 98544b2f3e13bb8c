import type { Configuration } from './configuration.ts';
import { instancesOf } from './instances.ts';
import type { JobDefinition } from './job.ts';
import type { LintJob } from './result.ts';

/** The jobs of a file in the order of its stages, for the lint answer without a dry run. */
export function lintJobs(configuration: Configuration): LintJob[] {
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
