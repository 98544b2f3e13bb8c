import Type, { type Static } from 'typebox';
import type { Services } from '../../access/services.ts';
import { storedJson, storedRecord, storedStrings } from '../../platform/stored-json.ts';
import { type PlannedJob, storedJob } from '../config/public.ts';
import { isArchived } from '../pipelines/public.ts';
import { isStatus, type Status } from '../states/public.ts';
import type { NewJob } from './store.ts';
import type { CiJobRow } from './tables.ts';

/** The plan of a job that was imported as a record of the past, whose configuration is unknown. */
const nothingPlanned: PlannedJob = {
  name: '',
  groupName: '',
  kind: 'build',
  stage: '',
  stageIndex: 0,
  beforeScript: [],
  script: [],
  afterScript: [],
  hooks: { preGetSourcesScript: [] },
  image: null,
  services: [],
  variables: [],
  tags: [],
  when: 'on_success',
  startIn: null,
  allowFailure: false,
  allowFailureExitCodes: [],
  needs: null,
  pipelineNeeds: [],
  projectNeeds: [],
  dependencies: null,
  artifacts: null,
  cache: [],
  environment: null,
  resourceGroup: null,
  interruptible: false,
  retry: { max: 0, when: [], exitCodes: [] },
  timeout: null,
  coverage: null,
  parallel: null,
  trigger: null,
  release: null,
  idTokens: {},
  secrets: {},
  identity: null,
  pages: null,
  manualConfirmation: null,
};

/** Whether a job is a record of the past without a configuration, so that it cannot run again. */
const isRecord = ({ options }: Pick<CiJobRow, 'options'>) => options === '{}';

/** The planned job as compiled from the configuration. */
export function plannedJob(row: Pick<CiJobRow, 'options'>): PlannedJob {
  return isRecord(row) ? nothingPlanned : storedJob(row.options);
}

/** Whether a job cannot run again, because of its age or because it is a record. */
export function isArchivedJob(services: Pick<Services, 'settings'>, row: Pick<CiJobRow, 'options' | 'created_at'>) {
  return isRecord(row) || isArchived(services, row.created_at);
}

export function statusOf(row: Pick<CiJobRow, 'id' | 'status'>): Status {
  if (isStatus(row.status)) return row.status;
  throw new Error(`job ${row.id} has an unknown status: ${row.status}`);
}

/** Names of the jobs that must complete first; null when the stage order applies. */
export function needsOf({ needs }: Pick<CiJobRow, 'needs'>): readonly string[] | null {
  return needs === null ? null : storedStrings(needs);
}

const encryptionPurpose = 'ci_jobs.variables';
const inputsPurpose = 'ci_jobs.inputs';

const GivenJobVariable = Type.Object({ key: Type.String(), value: Type.String() });
/** A variable set when a job was played. */
export type GivenJobVariable = Readonly<Static<typeof GivenJobVariable>>;
const storedVariables = storedJson(Type.Array(GivenJobVariable));

/** The variables set when a job was played. They are kept on retry. */
export function playedJobVariables(
  { encryption }: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'variables'>,
): GivenJobVariable[] {
  const stored = storedVariables(job.variables);
  return stored.map(({ key, value }) => ({ key, value: encryption.decrypt(value, encryptionPurpose) }));
}

/** Value of the `variables` column: the existing variables plus the given ones. */
export function withVariables(
  { encryption }: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'variables'>,
  added: readonly GivenJobVariable[],
): string {
  const stored = storedVariables(job.variables);
  const encrypted = added.map(({ key, value }) => ({ key, value: encryption.encrypt(value, encryptionPurpose) }));
  return JSON.stringify([...stored, ...encrypted]);
}

/** The values of the inputs of a job by name: given ones, and otherwise the defaults. */
export function jobInputValues(
  { encryption }: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'inputs' | 'options'>,
): ReadonlyMap<string, unknown> {
  const given = job.inputs === null ? {} : storedRecord(encryption.decrypt(job.inputs, inputsPurpose));
  const declared = plannedJob(job).inputs ?? [];
  return new Map(declared.map(({ name, default: value }) => [name, Object.hasOwn(given, name) ? given[name] : value]));
}

/** Value of the `inputs` column: the current values, overridden by the given ones. */
export function withInputs(
  services: Pick<Services, 'encryption'>,
  job: Pick<CiJobRow, 'inputs' | 'options'>,
  given: Readonly<Record<string, unknown>>,
): string | null {
  if (Object.keys(given).length === 0) return job.inputs;
  const values = new Map([...jobInputValues(services, job), ...Object.entries(given)]);
  return services.encryption.encrypt(JSON.stringify(Object.fromEntries(values)), inputsPurpose);
}

/** Values of a new attempt of a job. */
export function newAttempt(row: CiJobRow, userId: number | null, atOnce: boolean): NewJob {
  const now = Date.now();
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
    starts_at_once: atOnce ? 1 : 0,
    // Reset: a previous attempt may have set it because of its exit code.
    allow_failure: plannedJob(row).allowFailure ? 1 : 0,
    options,
    variables: row.variables,
    inputs: row.inputs,
    tag_list: row.tag_list,
    needs: row.needs,
    // Reset: a previous attempt may have been limited by its runner.
    timeout: plannedJob(row).timeout,
    user_id: userId,
    created_at: now,
    updated_at: now,
  };
}
