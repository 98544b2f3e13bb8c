import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { archivesOf, dotenvOf, isAvailable, type JobArtifactRow } from '../artifacts/public.ts';
import { type CiJobRow, currentJobs, plannedJob } from '../jobs/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { needsOutside, outsideProducers } from './cross-pipeline-needs.ts';
import { producersFor } from './dependencies.ts';

/** Artifacts that a job inherits from other jobs. */
export interface Inheritance {
  readonly producers: readonly { readonly job: CiJobRow; readonly archive: JobArtifactRow | undefined }[];
  /** Whether a required artifact was expired or erased. */
  readonly missing: boolean;
}

/** The jobs whose artifacts a job downloads, with their archives. Artifacts of a locked pipeline do not expire. */
export async function inheritanceOf(services: Services, job: CiJobRow, locked: boolean): Promise<Inheritance> {
  const { read } = services.db;
  const producers = await pipelineProducers(read, job);
  const archives = await archivesOf(
    read,
    producers.map(({ id }) => id),
  );
  const now = Date.now();
  const found = producers.map((row) => {
    const archive = archives.find(({ job_id }) => job_id === row.id);
    const available = archive !== undefined && isAvailable(archive, locked, now);
    const expired = archive ? !available : (row.artifacts_expire_at ?? Number.POSITIVE_INFINITY) <= now && !locked;
    const hasPaths = (plannedJob(row).artifacts?.paths.length ?? 0) > 0;
    return {
      job: row,
      archive: available ? archive : undefined,
      lost: hasPaths && (expired || row.erased_at !== null),
    };
  });
  const outside = await producersOutside(services, job);
  return {
    producers: [...found, ...outside.flatMap((one) => one ?? [])],
    missing: found.some(({ lost }) => lost) || outside.includes(null),
  };
}

/** The jobs of the same pipeline whose artifacts a job downloads. */
async function pipelineProducers(db: Reader, job: CiJobRow): Promise<CiJobRow[]> {
  const others = (await currentJobs(db, job.pipeline_id)).filter(({ id, kind }) => id !== job.id && kind === 'build');
  const named = others.map((row) => ({ row, name: row.name, stageIndex: row.stage_index }));
  return producersFor(plannedJob(job), named).map(({ row }) => row);
}

async function producersOutside(services: Services, job: CiJobRow) {
  if (!needsOutside(job)) return [];
  const values = new Map((await variablesOfJob(services, services.db.read, job)).map((one) => [one.key, one.value]));
  return outsideProducers(services, job, (name) => values.get(name));
}

/**
 * Dotenv variables of the jobs that a job depends on. Those of other projects are included only if their artifacts are
 * public.
 */
export async function inheritedVariables(
  services: Services,
  db: Reader,
  job: CiJobRow,
  variable: (name: string) => string | undefined,
) {
  const inside = await pipelineProducers(db, job);
  const outside = needsOutside(job) ? await outsideProducers(services, job, variable) : [];
  const accessible = outside.flatMap((one) =>
    one && (one.job.project_id === job.project_id || one.archive.access === 'public') ? one.job : [],
  );
  return dotenvOf(
    db,
    services.encryption,
    [...inside, ...accessible].map(({ id }) => id),
  );
}
