import type { Static } from 'typebox';
import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import { type Creation, type CreationOptions, createPipeline } from '../../../ci/pipeline-creation/public.ts';
import {
  mayReadPipelines,
  type PipelineBasic,
  type PipelineEntity,
  presentBasic,
  presentPipeline,
} from '../../../ci/pipelines/public.ts';
import { branchAccess } from '../../../code/protected-refs/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { Forbidden, Invalid, MethodNotAllowed } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { headRef, mergeRef, writeMergeRef } from '../mergeability/check.ts';
import { requireRequest } from '../service.ts';
import { mergeSettings } from '../settings.ts';
import { projectPathsOf } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipOf } from '../versions/collect.ts';
import { pipelinesPage } from './store.ts';
import { type RunsOn, requestVariables } from './variables.ts';

type Basic = Static<typeof PipelineBasic>;

/** Lists the pipelines of a merge request and of its commits, newest first. */
export async function listPipelines(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<Basic>> {
  const { request } = await requireRequest(services, subject, iid);
  if (!mayReadPipelines(subject)) throw new Forbidden();
  const { read } = services.db;
  const projects = [subject.project.id, ...(await readableSource(services, caller, request))];
  const { rows, total } = await pipelinesPage(read, request, projects, page);
  const places = await projectPathsOf(
    read,
    rows.map(({ project_id }) => project_id),
  );
  const urlOf = (id: number) => `${services.externalUrl}/${places.get(id)?.path ?? ''}`;
  return new Page(
    rows.map((row) => presentBasic(row, urlOf(row.project_id))),
    total,
  );
}

/** The source project, if it is another one whose pipelines the caller may read. */
async function readableSource({ db }: Services, caller: Actor, request: MergeRequestRow): Promise<number[]> {
  const { project_id, source_project_id: id } = request;
  const project = id === null || id === project_id ? undefined : await findProject(db.read, id);
  const source = project && (await projectSubject(db.read, caller, project));
  return source?.can('read_project') && mayReadPipelines(source) ? [source.project.id] : [];
}

/** The project and ref that a merge request pipeline runs on. */
interface PipelinePlace {
  readonly owner: ProjectSubject;
  readonly ref: string;
}

/** The target project for users who may run pipelines there, unless it excludes forks; otherwise the source project. */
async function placeFor(
  { db }: Services,
  actor: SignedInActor,
  request: MergeRequestRow,
): Promise<PipelinePlace | undefined> {
  const { project_id, source_project_id, source_branch } = request;
  const target = await findProject(db.read, project_id);
  if (!target) return undefined;
  const forked = source_project_id !== project_id;
  if (!forked || settingsOf(target).ci_allow_fork_pipelines_to_run_in_parent_project !== false) {
    const owner = await projectSubject(db.read, actor, target);
    if (owner.can('create_pipeline')) return { owner, ref: headRef(request) };
  }
  const source = forked && source_project_id !== null ? await findProject(db.read, source_project_id) : undefined;
  const owner = source && (await projectSubject(db.read, actor, source));
  return owner?.can('create_pipeline') ? { owner, ref: source_branch } : undefined;
}

/** Whether the actor may run a pipeline for the merge request in either project. */
export async function mayRun(services: Services, actor: SignedInActor, request: MergeRequestRow): Promise<boolean> {
  return (await placeFor(services, actor, request)) !== undefined;
}

/** The current merge result, if the project uses merged results pipelines and the branches do not conflict. */
async function mergedResult(
  services: Services,
  request: MergeRequestRow,
  { owner, ref }: PipelinePlace,
): Promise<{ readonly sha: string; readonly runsOn: RunsOn } | undefined> {
  const { head_sha: source } = request;
  if (ref !== headRef(request) || source === null || !mergeSettings(settingsOf(owner.project)).mergedResults) {
    return undefined;
  }
  const target = await tipOf(services, request.project_id, request.target_branch);
  const sha = target === null ? undefined : await writeMergeRef(services, request, source, target);
  return target === null || sha === undefined
    ? undefined
    : { sha, runsOn: { ref: mergeRef(request), merges: { source, target } } };
}

const hasChanges = ({ head_sha: head, base_sha: base }: MergeRequestRow) => head !== null && head !== base;

/** The merge request that a pipeline is requested for, and where it would run. */
export async function requirePipelinePlace(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<{ readonly request: MergeRequestRow; readonly place: PipelinePlace }> {
  const { request } = await requireRequest(services, subject, iid);
  const place = await placeFor(services, caller, request);
  if (!place) throw new Forbidden();
  if (!hasChanges(request)) throw new MethodNotAllowed();
  return { request, place };
}

/** Creates a pipeline for a merge request; undefined if there is nothing to run. */
async function startIn(
  services: Services,
  actor: SignedInActor,
  request: MergeRequestRow,
  place: PipelinePlace,
): Promise<Creation | undefined> {
  const { head_sha: head } = request;
  if (head === null || !hasChanges(request)) return undefined;
  const merged = await mergedResult(services, request, place);
  return startOn(services, actor, request, place.owner, merged ?? { sha: head, runsOn: { ref: place.ref } });
}

/** Creates a pipeline for a merge request on a commit; undefined if the project does not have the commit. */
export async function startOn(
  services: Services,
  actor: SignedInActor,
  request: MergeRequestRow,
  owner: ProjectSubject,
  { sha, runsOn }: { readonly sha: string; readonly runsOn: RunsOn },
  also?: CreationOptions['also'],
): Promise<Creation | undefined> {
  const { read } = services.db;
  const commit = await services.git.objects(services.git.repository(owner.project.id)).commit(sha);
  if (!commit) return undefined;
  const access = await branchAccess(read, actor, owner);
  const own = request.source_project_id === owner.project.id;
  const guarded = own && access.isProtected(request.source_branch) && access.canPush(request.source_branch);
  return createPipeline(
    services,
    {
      actor,
      subject: owner,
      ref: runsOn.ref,
      kind: 'merge_request',
      mergeRequest: {
        id: request.id,
        sourceBranch: request.source_branch,
        ...(runsOn.merges && { merges: runsOn.merges }),
      },
      commit,
      before: request.base_sha,
      source: 'merge_request_event',
      protected: guarded,
      variables: [],
      inputs: {},
      predefined: await requestVariables(services, read, request, runsOn),
    },
    { saveInvalid: true, ...(also && { also }) },
  );
}

/** Creates the pipeline for a new head, if the user who pushed it may run one. */
export async function startFor(services: Services, actor: SignedInActor, request: MergeRequestRow): Promise<void> {
  const place = await placeFor(services, actor, request);
  if (place) await startIn(services, actor, request, place);
}

export async function createRequestPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<PipelineEntity> {
  const { request, place } = await requirePipelinePlace(services, caller, subject, iid);
  const created = await startIn(services, caller, request, place);
  if (!created) throw new MethodNotAllowed();
  if ('refused' in created) throw new Invalid({ base: [created.refused] });
  return presentPipeline(services, place.owner, created.pipeline);
}
