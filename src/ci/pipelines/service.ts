import type { SignedInActor } from '../../access/actor.ts';
import { findUserByName } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { defaultBranch, projectUrl, repositoryOf } from '../../code/repository/public.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { cancelJobs, retryJobs } from '../jobs/public.ts';
import { findRef, readInputs, refRights, startWithVariables } from '../pipeline-creation/public.ts';
import { isArchived } from './archival.ts';
import { newestOfRefs, pipelineList } from './list.ts';
import { presentListed, presentPipeline } from './present.ts';
import { removePipelineRow } from './retention.ts';
import type { PipelineEntity, PipelineListEntity, PipelineListParams } from './schema.ts';
import * as store from './store.ts';
import type { PipelineRow } from './tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A pipeline and its jobs are about to be deleted. */
    'pipeline.removed': { readonly pipeline: PipelineRow };
  }
}

/** Maximum number of refs considered for `scope=branches` and `scope=tags`. */
const maxRefs = 5000;

/** Finds a pipeline of a project; throws a 404 when it does not exist. */
export async function requirePipeline({ db }: Services, subject: ProjectSubject, id: number): Promise<PipelineRow> {
  const pipeline = await store.pipelineOfProject(db.read, subject.project.id, id);
  if (!pipeline) throw NotFound.record();
  return pipeline;
}

export async function getPipeline(services: Services, subject: ProjectSubject, id: number): Promise<PipelineEntity> {
  return presentPipeline(services, subject, await requirePipeline(services, subject, id), true);
}

export async function listProjectPipelines(
  services: Services,
  subject: ProjectSubject,
  { id: _, username, order_by: by, sort: direction, ref, ...filters }: PipelineListParams,
  page: PageRequest,
): Promise<Page<PipelineListEntity>> {
  const user = username === undefined ? undefined : await findUserByName(services.db.read, username);
  if (username !== undefined && !user) return new Page([], 0);
  const ids = await newestIds(services, subject, filters.scope);
  if (ids?.length === 0) return new Page([], 0);
  const { rows, total } = await pipelineList.page(
    services.db.read,
    { project: subject.project.id, children: filters.source === 'parent_pipeline', ids },
    { ...filters, user_id: user?.id, ...(ref?.startsWith('refs/') ? { full_ref: ref } : { ref }) },
    { by, direction },
    page,
  );
  const url = projectUrl(services, subject);
  return new Page(rows, total).map((row) => presentListed(row, url));
}

/** IDs of the newest pipeline of each existing branch or tag, if the scope asks for them. */
async function newestIds(services: Services, subject: ProjectSubject, scope: PipelineListParams['scope']) {
  if (scope !== 'branches' && scope !== 'tags') return undefined;
  const prefix = scope === 'tags' ? 'refs/tags/' : 'refs/heads/';
  const refs = await services.git.listRefs(repositoryOf(services, subject), prefix);
  const names = refs.map(({ name }) => name.slice(prefix.length));
  return newestOfRefs(services.db.read, subject.project.id, scope, names, maxRefs);
}

/** The latest pipeline of the head of a ref. */
export async function latestPipeline(
  services: Services,
  subject: ProjectSubject,
  ref: string | undefined,
): Promise<PipelineEntity> {
  const found = await findRef(services, subject, ref || defaultBranch(subject));
  // Documented as 403 instead of 404.
  if ('problem' in found) throw new Forbidden();
  const { commit, name } = found;
  const newest = await store.newestPipelineOf(services.db.read, subject.project.id, commit.oid, name);
  if (!newest) throw new Forbidden();
  return presentPipeline(services, subject, newest, true);
}

export interface NewPipeline {
  readonly ref: string;
  readonly variables?: readonly {
    readonly key: string;
    readonly value: string;
    readonly variable_type: 'env_var' | 'file';
  }[];
  readonly inputs?: unknown;
}

/** Creates a pipeline on request of a user. */
export async function startPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  input: NewPipeline,
): Promise<PipelineEntity> {
  const invalid = (text: string) => new Invalid({ base: [text] });
  const variables = (input.variables ?? []).map(({ key, value, variable_type }) => ({
    key,
    value,
    variableType: variable_type,
  }));
  const inputs = readInputs(input.inputs);
  const request = { actor: caller, subject, ref: input.ref, source: 'api', variables, inputs };
  const created = await startWithVariables(services, request);
  if ('refused' in created) throw invalid(created.refused);
  return presentPipeline(services, subject, created.pipeline);
}

const cancelingRoles: Readonly<Record<string, number>> = {
  maintainer: Role.maintainer,
  no_one: Number.POSITIVE_INFINITY,
};

async function requirePermission(services: Services, caller: SignedInActor, subject: ProjectSubject, row: PipelineRow) {
  const rights = await refRights(services, caller, subject, row.tag === 1 ? 'tag' : 'branch', row.ref);
  if (!rights.mayRun) throw new Forbidden();
}

/** Cancels all cancelable jobs of a pipeline. */
export async function cancelPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<PipelineEntity> {
  const pipeline = await requirePipeline(services, subject, id);
  await requirePermission(services, caller, subject, pipeline);
  const minRole = cancelingRoles[String(settingsOf(subject.project).ci_restrict_pipeline_cancellation_role)];
  if (minRole !== undefined && subject.standing.level < minRole) throw new Forbidden();
  await services.db.write((trx) => cancelJobs(services, trx, id));
  return presentPipeline(services, subject, await requirePipeline(services, subject, id));
}

/** Retries the failed and canceled jobs of a pipeline. */
export async function retryPipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<PipelineEntity> {
  const pipeline = await requirePipeline(services, subject, id);
  await requirePermission(services, caller, subject, pipeline);
  if (isArchived(services, pipeline.created_at)) throw new Forbidden();
  await services.db.write((trx) => retryJobs(services, trx, id, caller.user.id));
  return presentPipeline(services, subject, await requirePipeline(services, subject, id));
}

export async function renamePipeline(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  name: string,
): Promise<PipelineEntity> {
  const pipeline = await requirePipeline(services, subject, id);
  await requirePermission(services, caller, subject, pipeline);
  if ([...name].length > 255) throw new Invalid({ name: ['is too long (maximum is 255 characters)'] });
  const row = await services.db.write((trx) => store.updatePipeline(trx, id, { name, updated_at: Date.now() }));
  return presentPipeline(services, subject, row, true);
}

/** Deletes a pipeline with its jobs. */
export async function removePipeline(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const pipeline = await requirePipeline(services, subject, id);
  if (!(await removePipelineRow(services, pipeline))) throw NotFound.record();
}

/** Lists the variables of a pipeline, for the user who started it and for Maintainers. */
export async function listVariables(services: Services, caller: SignedInActor, subject: ProjectSubject, id: number) {
  const pipeline = await requirePipeline(services, subject, id);
  const own = pipeline.user_id === caller.user.id && subject.can('update_pipeline');
  if (!own && !subject.can('admin_pipeline')) throw new Forbidden();
  const rows = await store.pipelineVariables(services.db.read, services.encryption, id);
  return rows.map(({ key, value, variableType, raw }) => ({ variable_type: variableType, key, value, raw }));
}
