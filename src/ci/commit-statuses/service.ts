import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { branchAccess, tagAccess } from '../../code/protected-refs/public.ts';
import {
  keepAround,
  type ProjectCall,
  repositoryOf,
  requireCommit,
  runExpensive,
  type SignedInProjectCall,
} from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { refsContaining } from '../../platform/git/history/ancestry.ts';
import { BadRequest, Forbidden, NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import { reconcilePipeline, updateCoverage } from '../jobs/public.ts';
import { insertPipeline, lockPipeline, type PipelineRow, pipelinesOf } from '../pipelines/public.ts';
import { withCommitLock } from './commit-lock.ts';
import { statusList } from './list.ts';
import { presentStatuses } from './present.ts';
import type { CommitStatusEntity, listing } from './schema.ts';
import { type ReportedState, report, type StatusState } from './status-machine.ts';
import { checkStatus } from './status-rules.ts';
import * as store from './store.ts';
import type { CommitStatusRow } from './tables.ts';

export interface StatusReport {
  readonly state: ReportedState;
  readonly ref?: string;
  readonly name?: string;
  /** Alias of `name`. */
  readonly context?: string;
  readonly target_url?: string;
  readonly description?: string;
  readonly coverage?: number;
  readonly pipeline_id?: number;
}

const externalStage = 'external';
const finished: readonly string[] = ['success', 'failed', 'canceled'];

/** Filters and order of a status list. */
export type StatusQuery = Omit<ParamsOf<typeof listing>, 'id' | 'sha'>;

/** Lists the statuses of a commit. */
export async function listStatuses(
  services: Services,
  subject: ProjectSubject,
  sha: string,
  { all, order_by, sort, ref, stage, name, pipeline_id }: StatusQuery,
  page: PageRequest,
): Promise<Page<CommitStatusEntity>> {
  const { oid } = await requireCommit(services, subject, sha);
  const scope = { project: subject.project.id, sha: oid, all };
  const filters = { ref, stage, name, pipeline_id };
  const order = { by: order_by, direction: sort };
  const { rows, total } = await statusList.page(services.db.read, scope, filters, order, page);
  return new Page(await presentStatuses(services, subject, rows), total);
}

/**
 * Records the status that a service reports on a commit, in the commit's pipeline on that ref. Creates the pipeline if
 * needed.
 */
export async function reportStatus(
  services: Services,
  reporter: SignedInProjectCall,
  sha: string,
  input: StatusReport,
): Promise<CommitStatusEntity> {
  const { caller, subject } = reporter;
  const { oid } = await requireCommit(services, subject, sha);
  checkStatus(input);
  const ref = await refOf(services, reporter, oid, input);
  await requireRef(services, caller, subject, ref);
  await keepAround(services, subject, oid);
  const maxJobs = services.config.pipelineJobs;
  const row = await withCommitLock(services.db, `${subject.project.id}:${oid}`, () =>
    services.db.write(async (trx) => {
      await store.lockStatuses(trx, subject.project.id);
      const pipeline = await pipelineFor(trx, reporter, { sha: oid, ref, input, maxJobs });
      const status = await recordStatus(trx, caller, pipeline, ref, input);
      await reconcilePipeline(services, trx, (await lockPipeline(trx, pipeline.id)) ?? pipeline);
      if (input.coverage !== undefined) await updateCoverage(services, trx, pipeline.id);
      return status;
    }),
  );
  const [presented] = await presentStatuses(services, subject, [row]);
  if (!presented) throw new Error(`status ${row.id} was not presented`);
  return presented;
}

async function refOf(services: Services, call: ProjectCall, sha: string, input: StatusReport): Promise<string> {
  const { subject, signal } = call;
  const requestedRef = input.ref?.replace(/^refs\/(?:heads|tags)\//, '');
  if (requestedRef) return requestedRef;
  const id = input.pipeline_id;
  const [match] = await pipelinesOf(services.db.read, subject.project.id, sha, { id });
  if (match) return match.ref;
  const branch = await runExpensive(services, call, async () => {
    for await (const name of refsContaining(repositoryOf(services, subject), sha, ['refs/heads/'], { signal })) {
      return name.slice('refs/heads/'.length);
    }
    return undefined;
  });
  if (branch === undefined) throw new NotFound('References for commit');
  return branch;
}

/** Statuses on a protected ref can trigger deployments, so reporting them requires permission to push to the ref. */
async function requireRef({ db }: Services, actor: Actor, subject: ProjectSubject, ref: string): Promise<void> {
  const [branches, tags] = await Promise.all([
    branchAccess(db.read, actor, subject),
    tagAccess(db.read, actor, subject),
  ]);
  const branchRefused = branches.isProtected(ref) && !branches.canPush(ref);
  if (branchRefused || (tags.isProtected(ref) && !tags.canCreate(ref))) throw new Forbidden();
}

interface PipelineQuery {
  readonly sha: string;
  readonly ref: string;
  readonly input: StatusReport;
  /** Maximum number of jobs in one pipeline; 0 means unlimited. */
  readonly maxJobs: number;
}

async function pipelineFor(
  trx: Writer,
  { caller, subject }: SignedInProjectCall,
  { sha, ref, input, maxJobs }: PipelineQuery,
): Promise<PipelineRow> {
  const projectId = subject.project.id;
  const userId = caller.user.id;
  const id = input.pipeline_id;
  const [pipeline] = await pipelinesOf(trx, projectId, sha, { ref, id });
  if (!pipeline && id !== undefined) throw new NotFound('Pipeline for pipeline_id, sha and ref');
  if (pipeline && (await hasRoom(trx, { pipelineId: pipeline.id, name: nameOf(input), ref, userId }, maxJobs))) {
    return pipeline;
  }
  if (id !== undefined) throw new Unprocessable('The number of jobs has exceeded the limit');
  const columns = { project_id: projectId, sha, ref, user_id: userId };
  return insertPipeline(trx, { ...columns, source: 'external', status: 'created' });
}

/** Whether a status can be recorded: the pipeline is below the limit, or the status is already open in it. */
async function hasRoom(trx: Writer, key: store.StatusKey, maxJobs: number): Promise<boolean> {
  if (maxJobs === 0 || !(await store.hasStatuses(trx, key.pipelineId, maxJobs))) return true;
  return (await store.openStatus(trx, key)) !== undefined;
}

function nameOf({ name, context }: StatusReport): string {
  return name || context || 'default';
}

async function recordStatus(
  trx: Writer,
  { user }: SignedInActor,
  pipeline: PipelineRow,
  ref: string,
  input: StatusReport,
): Promise<CommitStatusRow> {
  const name = nameOf(input);
  const open = await store.openStatus(trx, { pipelineId: pipeline.id, name, ref, userId: user.id });
  const step = report((open?.status ?? 'created') as StatusState, input.state);
  if ('problem' in step) throw BadRequest.plain(step.problem);
  const now = Date.now();
  const change = {
    status: step.to,
    target_url: input.target_url ?? open?.target_url ?? null,
    description: input.description ?? open?.description ?? null,
    coverage: input.coverage ?? open?.coverage ?? null,
    started_at: step.to === 'running' ? now : (open?.started_at ?? null),
    finished_at: finished.includes(step.to) ? now : null,
  };
  if (open) return store.updateStatus(trx, open.id, change);
  const columns = { project_id: pipeline.project_id, pipeline_id: pipeline.id, sha: pipeline.sha, ref };
  return store.insertStatus(trx, {
    ...columns,
    ...change,
    name,
    stage: externalStage,
    user_id: user.id,
    created_at: now,
  });
}
