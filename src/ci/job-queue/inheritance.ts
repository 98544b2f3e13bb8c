import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { archivesOf, dotenvOf, type JobArtifactRow, stillThere } from '../artifacts/public.ts';
import { type CiJobRow, currentJobs, plannedJob } from '../jobs/public.ts';
import { producersFor } from './dependencies.ts';

/** What a job takes over from the jobs before it. */
export interface Inheritance {
  readonly producers: readonly { readonly job: CiJobRow; readonly archive: JobArtifactRow | undefined }[];
  /** Something that it would need has been there and is gone. */
  readonly missing: boolean;
}

/** The jobs whose artifacts a job fetches, with their archives. Artifacts of a locked pipeline stay beyond their time. */
export async function inheritanceOf(db: Reader, job: CiJobRow, locked: boolean): Promise<Inheritance> {
  const others = (await currentJobs(db, job.pipeline_id)).filter(({ id, kind }) => id !== job.id && kind === 'build');
  const producers = producersFor(
    plannedJob(job),
    others.map((row) => ({ row, name: row.name, stageIndex: row.stage_index })),
  ).map(({ row }) => row);
  const archives = await archivesOf(
    db,
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
  return { producers: found, missing: found.some(({ gone }) => gone) };
}

/** What the jobs before it have reported as variables. */
export async function inheritedVariables({ encryption }: Services, db: Reader, job: CiJobRow) {
  const others = (await currentJobs(db, job.pipeline_id)).filter(({ id, kind }) => id !== job.id && kind === 'build');
  const producers = producersFor(
    plannedJob(job),
    others.map(({ id, name, stage_index }) => ({ id, name, stageIndex: stage_index })),
  );
  return dotenvOf(
    db,
    encryption,
    producers.map(({ id }) => id),
  );
}
