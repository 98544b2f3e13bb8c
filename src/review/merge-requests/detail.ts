import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import {
  mayReadPipelines,
  type PipelineRow,
  pipelinesById,
  presentBasic,
  presentPipeline,
} from '../../ci/pipelines/public.ts';
import { branchAccess } from '../../code/protected-refs/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { listCommitIds } from '../../platform/git/history/walk.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { mayUpdate } from './access.ts';
import { firstInProduction } from './deployed/store.ts';
import { isRebasing } from './merge/is-rebasing.ts';
import { presentRequests } from './present.ts';
import type { DetailEntity, SingleViewParams } from './schema.ts';
import { isSubscribed, type RequestState, requireRequest } from './service.ts';
import { hasMerged } from './store.ts';
import type { MergeRequestRow } from './tables.ts';
import { tipsOf } from './versions/collect.ts';
import { refreshRequest } from './versions/refresh.ts';

/** Optional parts of the merge request entity. */
export interface DetailOptions {
  readonly render_html?: boolean;
  readonly include_diverged_commits_count?: boolean;
  readonly include_rebase_in_progress?: boolean;
  readonly firstContribution?: boolean;
}

/** Whether the caller may merge into a branch of the project. */
export async function mayMerge(
  { db }: Services,
  caller: Actor,
  subject: ProjectSubject,
  branch: string,
): Promise<boolean> {
  if (caller.user === null || !subject.can('push_code')) return false;
  return (await branchAccess(db.read, caller, subject)).canMerge(branch);
}

/** Presents one merge request in the context of its own project. */
export async function presentDetail(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  state: RequestState,
  options: DetailOptions = {},
): Promise<DetailEntity> {
  const { request } = state;
  const { read } = services.db;
  const html = options.render_html ? { subject } : undefined;
  const [[entity], subscribed, canMerge, pipelines] = await Promise.all([
    presentRequests(services, caller, [request], { within: { projectId: request.project_id }, html }),
    isSubscribed(read, caller, state),
    mayMerge(services, caller, subject, request.target_branch),
    pipelinesOf(services, caller, subject, request),
  ]);
  if (!entity) throw NotFound.record();
  const { base_sha, head_sha, start_sha } = request;
  const complete = base_sha !== null && head_sha !== null && start_sha !== null;
  return {
    ...entity,
    subscribed,
    changes_count: request.changes_count,
    ...pipelines,
    diff_refs: complete ? { base_sha, head_sha, start_sha } : null,
    merge_error: request.merge_error,
    ...(options.include_rebase_in_progress && { rebase_in_progress: await isRebasing(services, request) }),
    ...(options.include_diverged_commits_count && { diverged_commits_count: await divergedCommits(services, request) }),
    ...(options.firstContribution && {
      first_contribution: !(await hasMerged(read, request.project_id, request.author_id)),
    }),
    user: { can_merge: canMerge },
  };
}

/** The head pipeline, if the caller may read it. */
async function pipelinesOf(services: Services, caller: Actor, subject: ProjectSubject, request: MergeRequestRow) {
  if (!mayReadPipelines(subject)) return {};
  const { read } = services.db;
  const ids = request.head_pipeline_id === null ? [] : [request.head_pipeline_id];
  const [pipeline] = await pipelinesById(read, ids);
  const owner = pipeline && (await ownerOf(services, caller, subject, pipeline));
  const shown = owner && mayReadPipelines(owner) ? pipeline : undefined;
  const url = owner && `${services.externalUrl}/${owner.fullPath}`;
  return {
    latest_build_started_at: instantOrNull(shown?.started_at ?? null),
    latest_build_finished_at: instantOrNull(shown?.finished_at ?? null),
    first_deployed_to_production_at: instantOrNull(await firstInProduction(read, request.id)),
    pipeline: shown && url ? presentBasic(shown, url) : null,
    head_pipeline: shown && owner ? await presentPipeline(services, owner, shown) : null,
  };
}

/** Project of the pipeline, which may be a fork. */
async function ownerOf(
  { db }: Services,
  caller: Actor,
  subject: ProjectSubject,
  { project_id }: PipelineRow,
): Promise<ProjectSubject | undefined> {
  if (project_id === subject.project.id) return subject;
  const project = await findProject(db.read, project_id);
  const found = project && (await projectSubject(db.read, caller, project));
  return found?.can('read_project') ? found : undefined;
}

const maxCounted = 10_000;

/** Number of commits on the target that the source does not have. */
async function divergedCommits(services: Services, request: MergeRequestRow): Promise<number> {
  const { target } = await tipsOf(services, request);
  if (target === null || request.head_sha === null) return 0;
  const objects = services.git.objects(services.git.repository(request.project_id));
  const walk = { tips: [target], exclude: [request.head_sha], limit: maxCounted };
  return (await listCommitIds(objects, walk)).length;
}

export async function getMergeRequest(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  params: SingleViewParams,
): Promise<DetailEntity> {
  const found = await requireRequest(services, subject, params.merge_request_iid);
  const state = await recheckIfStale(services, caller, subject, found);
  return presentDetail(services, caller, subject, state, { ...params, firstContribution: true });
}

/**
 * Rechecks an invalidated merge status if the reader may update the merge request; the cost is not spent on other
 * readers.
 */
async function recheckIfStale(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  state: RequestState,
): Promise<RequestState> {
  const { request, assigneeIds } = state;
  const stale = request.merge_status === 'unchecked' || request.merge_status === 'cannot_be_merged_recheck';
  if (!stale || request.state !== 'opened' || !mayUpdate(caller, subject, request, assigneeIds)) return state;
  await refreshRequest(services, request.id);
  return requireRequest(services, subject, request.iid);
}
