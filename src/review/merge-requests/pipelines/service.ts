import type { Static } from 'typebox';
import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { type Creation, createPipeline } from '../../../ci/pipeline-creation/public.ts';
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
import { headRef } from '../mergeability/check.ts';
import { requireRequest } from '../service.ts';
import { placesOf } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { pipelinesPage } from './store.ts';
import { requestVariables } from './variables.ts';

type Basic = Static<typeof PipelineBasic>;

/** The pipelines of a merge request and of its commits, the newest first. */
export async function listPipelines(
  services: Services,
  _caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<Basic>> {
  const { request } = await requireRequest(services, subject, iid);
  if (!mayReadPipelines(subject)) throw new Forbidden();
  const { read } = services.db;
  const { rows, total } = await pipelinesPage(read, request, page);
  const places = await placesOf(
    read,
    rows.map(({ project_id }) => project_id),
  );
  const urlOf = (id: number) => `${services.externalUrl}/${places.get(id)?.path ?? ''}`;
  return new Page(
    rows.map((row) => presentBasic(row, urlOf(row.project_id))),
    total,
  );
}

/** Makes the pipeline of a merge request: in the project that has the branch, or in the target for a member of that. */
export async function startFor(
  services: Services,
  actor: SignedInActor,
  request: MergeRequestRow,
): Promise<{ readonly created: Creation; readonly owner: ProjectSubject } | undefined> {
  const { read } = services.db;
  const { head_sha: head, base_sha: base } = request;
  if (head === null || head === base) return undefined;
  const target = await findProject(read, request.project_id);
  if (!target) return undefined;
  const owner = await projectSubject(read, actor, target);
  if (!owner.can('create_pipeline')) return undefined;
  const commit = await services.git.objects(services.git.repository(request.project_id)).commit(head);
  if (!commit) return undefined;
  const access = await branchAccess(read, actor, owner);
  const own = request.source_project_id === request.project_id;
  const guarded = own && access.isProtected(request.source_branch) && access.canPush(request.source_branch);
  const created = await createPipeline(
    services,
    {
      actor,
      subject: owner,
      ref: headRef(request),
      kind: 'merge_request',
      mergeRequest: { id: request.id, sourceBranch: request.source_branch },
      commit,
      before: base,
      source: 'merge_request_event',
      protected: guarded,
      variables: [],
      inputs: {},
      predefined: await requestVariables(services, read, request),
    },
    { saveInvalid: true },
  );
  return { created, owner };
}

export async function createRequestPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<PipelineEntity> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('create_pipeline')) throw new Forbidden();
  const started = await startFor(services, caller, request);
  if (!started) throw new MethodNotAllowed();
  const { created, owner } = started;
  if ('refused' in created) throw new Invalid({ base: [created.refused] });
  return presentPipeline(services, owner, created.pipeline);
}
