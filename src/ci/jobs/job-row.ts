import Type, { type Static } from 'typebox';
import type { Services } from '../../access/services.ts';
import { storedJson, storedStrings } from '../../platform/stored-json.ts';
import { type PlannedJob, storedJob } from '../config/public.ts';
import { isStatus, type Status } from '../states/public.ts';
import type { NewJob } from './store.ts';
import type { CiJobRow } from './tables.ts';

/** The job as the compiler planned it. */
export function plannedJob(row: Pick<CiJobRow, 'options'>): PlannedJob {
  return storedJob(row.options);
}

export function statusOf(row: Pick<CiJobRow, 'id' | 'status'>): Status {
  if (isStatus(row.status)) return row.status;
  throw new Error(`job ${row.id} is in no known state: ${row.status}`);
}

/** Names of the jobs that have to be over first; null where the order of stages decides. */
export function needsOf({ needs }: Pick<CiJobRow, 'needs'>): readonly string[] | null {
  return needs === null ? null : storedStrings(needs);
}

const givenPurpose = 'ci_jobs.variables';

const GivenJobVariable = Type.Object({ key: Type.String(), value: Type.String() });
/** A variable that was set when a job was played. */
export type GivenJobVariable = Readonly<Static<typeof GivenJobVariable>>;
const storedVariables = storedJson(Type.Array(GivenJobVariable));

/** What was set when a job was played; it stays with the job when it is retried. */
export function variablesGivenTo(
  { encryption }: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'variables'>,
): GivenJobVariable[] {
  const stored = storedVariables(job.variables);
  return stored.map(({ key, value }) => ({ key, value: encryption.decrypt(value, givenPurpose) }));
}

/** For the column: what was set before, and what is set now. */
export function withGiven(
  { encryption }: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'variables'>,
  given: readonly GivenJobVariable[],
): string {
  const stored = storedVariables(job.variables);
  const sealed = given.map(({ key, value }) => ({ key, value: encryption.encrypt(value, givenPurpose) }));
  return JSON.stringify([...stored, ...sealed]);
}

/** Another attempt of a job, as it was before anything happened to it. */
export function anotherAttempt(row: CiJobRow, userId: number | null, now: number): NewJob {
  const { project_id, pipeline_id, kind, name, stage, stage_index, ref, sha, tag, starts, options } = row;
  return {
    project_id,
    pipeline_id,
    kind,
    name,
    stage,
    stage_index,
    status: 'created',
    ref,
    sha,
    tag,
    protected: row.protected,
    starts,
    // A failure that its exit code made an allowed one says nothing about the next.
    allow_failure: plannedJob(row).allowFailure ? 1 : 0,
    options,
    variables: row.variables,
    tag_list: row.tag_list,
    needs: row.needs,
    // What a runner allows is its own.
    timeout: plannedJob(row).timeout,
    user_id: userId,
    created_at: now,
    updated_at: now,
  };
}
