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
import { reconcilePipeline } from '../jobs/public.ts';
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
  /** The older word for `name`. */
  readonly context?: string;
  readonly target_url?: string;
  readonly description?: string;
  readonly coverage?: number;
  readonly pipeline_id?: number;
}

const externalStage = 'external';
const finished: readonly string[] = ['success', 'failed', 'canceled'];

/** Which statuses are wanted, and in which order. */
export type StatusQuery = Omit<ParamsOf<typeof listing>, 'id' | 'sha'>;

/** The statuses of a commit. */
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

/** Takes down what a service reports about a commit: in its pipeline on that ref, which is opened if there is none. */
export async function reportStatus(
  services: Services,
  reporter: SignedInProjectCall,
  sha: string,
  wanted: StatusReport,
): Promise<CommitStatusEntity> {
  const { caller, subject } = reporter;
  const { oid } = await requireCommit(services, subject, sha);
  checkStatus(wanted);
  const ref = await refOf(services, reporter, oid, wanted);
  await requireRef(services, caller, subject, ref);
  await keepAround(services, subject, oid);
  const most = services.config.pipelineJobs;
  const row = await withCommitLock(services.db, `${subject.project.id}:${oid}`, () =>
    services.db.write(async (trx) => {
      await store.lockStatuses(trx, subject.project.id);
      const pipeline = await pipelineFor(trx, reporter, { sha: oid, ref, wanted, most });
      const status = await recordStatus(trx, caller, pipeline, ref, wanted);
      await reconcilePipeline(services, trx, (await lockPipeline(trx, pipeline.id)) ?? pipeline);
      return status;
    }),
  );
  const [presented] = await presentStatuses(services, subject, [row]);
  if (!presented) throw new Error(`status ${row.id} was not presented`);
  return presented;
}

async function refOf(services: Services, call: ProjectCall, sha: string, wanted: StatusReport): Promise<string> {
  const { subject, signal } = call;
  const given = wanted.ref?.replace(/^refs\/(?:heads|tags)\//, '');
  if (given) return given;
  const id = wanted.pipeline_id;
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

/** What is said about a protected ref decides what is deployed: those who may push there may say it. */
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
  readonly wanted: StatusReport;
  /** Of jobs in one pipeline; 0 for any number. */
  readonly most: number;
}

async function pipelineFor(
  trx: Writer,
  { caller, subject }: SignedInProjectCall,
  { sha, ref, wanted, most }: PipelineQuery,
): Promise<PipelineRow> {
  const projectId = subject.project.id;
  const userId = caller.user.id;
  const id = wanted.pipeline_id;
  const [pipeline] = await pipelinesOf(trx, projectId, sha, { ref, id });
  if (!pipeline && id !== undefined) throw new NotFound('Pipeline for pipeline_id, sha and ref');
  if (pipeline && (await hasRoom(trx, { pipelineId: pipeline.id, name: nameOf(wanted), ref, userId }, most))) {
    return pipeline;
  }
  if (id !== undefined) throw new Unprocessable('The number of jobs has exceeded the limit');
  const place = { project_id: projectId, sha, ref, user_id: userId };
  return insertPipeline(trx, { ...place, source: 'external', status: 'created' });
}

/** A full pipeline takes no new status, but what is open in it goes on. */
async function hasRoom(trx: Writer, key: store.StatusKey, most: number): Promise<boolean> {
  if (most === 0 || !(await store.hasStatuses(trx, key.pipelineId, most))) return true;
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
  wanted: StatusReport,
): Promise<CommitStatusRow> {
  const name = nameOf(wanted);
  const open = await store.openStatus(trx, { pipelineId: pipeline.id, name, ref, userId: user.id });
  const step = report((open?.status ?? 'created') as StatusState, wanted.state);
  if ('problem' in step) throw BadRequest.plain(step.problem);
  const now = Date.now();
  const change = {
    status: step.to,
    target_url: wanted.target_url ?? open?.target_url ?? null,
    description: wanted.description ?? open?.description ?? null,
    coverage: wanted.coverage ?? open?.coverage ?? null,
    started_at: step.to === 'running' ? now : (open?.started_at ?? null),
    finished_at: finished.includes(step.to) ? now : null,
  };
  if (open) return store.updateStatus(trx, open.id, change);
  const place = { project_id: pipeline.project_id, pipeline_id: pipeline.id, sha: pipeline.sha, ref };
  return store.insertStatus(trx, {
    ...place,
    ...change,
    name,
    stage: externalStage,
    user_id: user.id,
    created_at: now,
  });
}
