import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { basicUsers } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { refsContaining } from '../../platform/git/history/ancestry.ts';
import { BadRequest, Forbidden, NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { branchAccess, tagAccess } from '../protected-refs/service.ts';
import { type Asker, costly, keepAround, repositoryOf, requireCommit } from '../repository/service.ts';
import type { CommitStatusEntity } from './schema.ts';
import { pipelineStatus, type ReportedState, report, type StatusState } from './status-machine.ts';
import { checkStatus } from './status-rules.ts';
import * as store from './status-store.ts';
import { inStatusTurn } from './status-turns.ts';
import type { CommitStatusRow, PipelineRow } from './tables.ts';

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

async function presentStatuses(
  { db, externalUrl }: Services,
  rows: readonly CommitStatusRow[],
): Promise<CommitStatusEntity[]> {
  const authors = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  return rows.map((row) => ({
    id: row.id,
    sha: row.sha,
    ref: row.ref,
    status: row.status,
    name: row.name,
    target_url: row.target_url,
    description: row.description,
    created_at: instant(row.created_at),
    started_at: instantOrNull(row.started_at),
    finished_at: instantOrNull(row.finished_at),
    allow_failure: row.allow_failure === 1,
    coverage: row.coverage,
    pipeline_id: row.pipeline_id,
    author: (row.user_id !== null && authors.get(row.user_id)) || null,
  }));
}

export async function listStatusesOf(
  services: Services,
  { subject }: Asker,
  sha: string,
  filter: store.StatusFilter,
  page: PageRequest,
): Promise<Page<CommitStatusEntity>> {
  const { oid } = await requireCommit(services, subject, sha);
  const { rows, total } = await store.listStatuses(services.db.read, subject.project.id, oid, filter, page);
  return new Page(await presentStatuses(services, rows), total);
}

/** Takes down what a service reports about a commit: in its pipeline on that ref, which is opened if there is none. */
export async function reportStatus(
  services: Services,
  asker: Asker,
  sha: string,
  wanted: StatusReport,
): Promise<CommitStatusEntity> {
  const { caller, subject } = asker;
  const { oid } = await requireCommit(services, subject, sha);
  checkStatus(wanted);
  const ref = await refOf(services, asker, oid, wanted);
  await requireRef(services, caller, subject, ref);
  await keepAround(services, subject, oid);
  const most = services.config.pipelineJobs;
  const row = await inStatusTurn(services.db, `${subject.project.id}:${oid}`, () =>
    services.db.write(async (trx) => {
      await store.lockStatuses(trx, subject.project.id);
      const pipeline = await pipelineFor(trx, asker, { sha: oid, ref, wanted, most });
      const status = await takeDown(trx, caller.user as User, pipeline, ref, wanted);
      await settlePipeline(trx, pipeline);
      return status;
    }),
  );
  return (await presentStatuses(services, [row]))[0] as CommitStatusEntity;
}

async function refOf(services: Services, asker: Asker, sha: string, wanted: StatusReport): Promise<string> {
  const { subject, signal } = asker;
  const given = wanted.ref?.replace(/^refs\/(?:heads|tags)\//, '');
  if (given) return given;
  const id = wanted.pipeline_id;
  const [match] = await store.pipelinesOf(services.db.read, subject.project.id, sha, { id });
  if (match) return match.ref;
  const branch = await costly(services, asker, async () => {
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
  { caller, subject }: Asker,
  { sha, ref, wanted, most }: PipelineQuery,
): Promise<PipelineRow> {
  const projectId = subject.project.id;
  const userId = (caller.user as User).id;
  const id = wanted.pipeline_id;
  const [pipeline] = await store.pipelinesOf(trx, projectId, sha, { ref, id });
  if (!pipeline && id !== undefined) throw new NotFound('Pipeline for pipeline_id, sha and ref');
  if (pipeline && (await hasRoom(trx, { pipelineId: pipeline.id, name: nameOf(wanted), ref, userId }, most))) {
    return pipeline;
  }
  if (id !== undefined) throw new Unprocessable('The number of jobs has exceeded the limit');
  return store.insertPipeline(trx, { project_id: projectId, sha, ref, user_id: userId });
}

/** A full pipeline takes no new status, but what is open in it goes on. */
async function hasRoom(trx: Writer, key: store.StatusKey, most: number): Promise<boolean> {
  if (most === 0 || !(await store.hasStatuses(trx, key.pipelineId, most))) return true;
  return (await store.openStatus(trx, key)) !== undefined;
}

function nameOf({ name, context }: StatusReport): string {
  return name || context || 'default';
}

async function takeDown(
  trx: Writer,
  user: User,
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

async function settlePipeline(trx: Writer, pipeline: PipelineRow): Promise<void> {
  const status = pipelineStatus(await store.currentStates(trx, pipeline.id)) ?? pipeline.status;
  const now = Date.now();
  await store.updatePipeline(trx, pipeline.id, {
    status,
    updated_at: now,
    started_at: pipeline.started_at ?? (status === 'running' ? now : null),
    finished_at: finished.includes(status) ? now : null,
  });
}
