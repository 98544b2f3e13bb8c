import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { archivesOf, dotenvOf, type JobArtifactRow, stillThere } from '../artifacts/public.ts';
import { type CiJobRow, currentJobs, plannedJob } from '../jobs/public.ts';
import { variablesOfJob } from '../variables/public.ts';
import { producersFor } from './dependencies.ts';
import { needsOutside, outsideProducers } from './outside-needs.ts';

/** What a job takes over from the jobs before it. */
export interface Inheritance {
  readonly producers: readonly { readonly job: CiJobRow; readonly archive: JobArtifactRow | undefined }[];
  /** Something that it would need has been there and is gone. */
  readonly missing: boolean;
}

/** The jobs whose artifacts a job fetches, with their archives. Artifacts of a locked pipeline stay beyond their time. */
export async function inheritanceOf(services: Services, job: CiJobRow, locked: boolean): Promise<Inheritance> {
  const { read } = services.db;
  const producers = await producersInside(read, job);
  const archives = await archivesOf(
    read,
    producers.map(({ id }) => id),
  );
  const now = Date.now();
  const found = producers.map((row) => {
    const archive = archives.find(({ job_id }) => job_id === row.id);
    const there = archive !== undefined && stillThere(archive, locked, now);
    const expired = archive ? !there : (row.artifacts_expire_at ?? Number.POSITIVE_INFINITY) <= now && !locked;
    const leaves = (plannedJob(row).artifacts?.paths.length ?? 0) > 0;
    return { job: row, archive: there ? archive : undefined, gone: leaves && (expired || row.erased_at !== null) };
  });
  const outside = await ofOthers(services, job);
  return {
    producers: [...found, ...outside.flatMap((one) => one ?? [])],
    missing: found.some(({ gone }) => gone) || outside.includes(null),
  };
}

/** The jobs of the same pipeline whose artifacts a job fetches. */
async function producersInside(db: Reader, job: CiJobRow): Promise<CiJobRow[]> {
  const others = (await currentJobs(db, job.pipeline_id)).filter(({ id, kind }) => id !== job.id && kind === 'build');
  const named = others.map((row) => ({ row, name: row.name, stageIndex: row.stage_index }));
  return producersFor(plannedJob(job), named).map(({ row }) => row);
}

async function ofOthers(services: Services, job: CiJobRow) {
  if (!needsOutside(job)) return [];
  const values = new Map((await variablesOfJob(services, services.db.read, job)).map((one) => [one.key, one.value]));
  return outsideProducers(services, job, (name) => values.get(name));
}

/** What the jobs before it have reported as variables; of another project's only where everybody may have its artifacts. */
export async function inheritedVariables(
  services: Services,
  db: Reader,
  job: CiJobRow,
  variable: (name: string) => string | undefined,
) {
  const inside = await producersInside(db, job);
  const outside = needsOutside(job) ? await outsideProducers(services, job, variable) : [];
  const open = outside.flatMap((one) =>
    one && (one.job.project_id === job.project_id || one.archive.access === 'public') ? one.job : [],
  );
  return dotenvOf(
    db,
    services.encryption,
    [...inside, ...open].map(({ id }) => id),
  );
}
