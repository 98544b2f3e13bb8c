import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { BadRequest, Forbidden, Invalid, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { presentBasic, presentEnvironment, presentEnvironments } from './present.ts';
import { isDeployer, requireDeployer } from './protection/rights.ts';
import { fluxPathProblem, nameProblem, namespaceProblem, slugOf, tierOf, urlProblem } from './rules.ts';
import type {
  EnvironmentBasicEntity,
  EnvironmentChangeParams,
  EnvironmentEntity,
  NewEnvironmentParams,
} from './schema.ts';
import { stopEnvironment } from './stopping.ts';
import * as store from './store.ts';
import type { EnvironmentRow } from './tables.ts';

const day = 86_400_000;
const minSearchLength = 3;
const maxReviewApps = 1000;

export async function requireEnvironment(
  { db }: Services,
  subject: ProjectSubject,
  id: number,
): Promise<EnvironmentRow> {
  const row = await store.environmentOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Environment');
  return row;
}

/** Finds an environment and requires permission to deploy to it. */
async function requireDeployable(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<EnvironmentRow> {
  const row = await requireEnvironment(services, subject, id);
  await requireDeployer(services.db.read, actor, subject, row);
  return row;
}

export async function listEnvironments(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  { with_last_deployment, ...filter }: store.EnvironmentFilter & { readonly with_last_deployment: boolean },
  page: PageRequest,
): Promise<Page<EnvironmentEntity>> {
  if (filter.name !== undefined && filter.search !== undefined) {
    throw new ParameterError('name, search are mutually exclusive');
  }
  if (filter.search !== undefined && filter.search.length < minSearchLength) {
    throw new BadRequest(`Search query is less than ${minSearchLength} characters`);
  }
  const { rows, total } = await store.listEnvironments(services.db.read, subject.project.id, filter, page);
  return new Page(await presentEnvironments(services, actor, subject, rows, with_last_deployment), total);
}

export async function getEnvironment(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  id: number,
): Promise<EnvironmentEntity> {
  return presentEnvironment(services, actor, subject, await requireEnvironment(services, subject, id));
}

interface Attributes {
  readonly name?: string;
  readonly external_url?: string;
  readonly slug?: string;
  readonly cluster_agent_id?: number;
  readonly kubernetes_namespace?: string;
  readonly flux_resource_path?: string;
}

function validate(attributes: Attributes): void {
  const { name, external_url, kubernetes_namespace, flux_resource_path } = attributes;
  if (attributes.slug !== undefined) throw new BadRequest('slug is automatically generated and cannot be changed');
  if (attributes.cluster_agent_id !== undefined) {
    throw new BadRequest("cluster agent doesn't exist or cannot be associated with this environment");
  }
  const problems = {
    name: name === undefined ? undefined : nameProblem(name),
    external_url: external_url ? urlProblem(external_url) : undefined,
    kubernetes_namespace: kubernetes_namespace ? namespaceProblem(kubernetes_namespace) : undefined,
    flux_resource_path: flux_resource_path ? fluxPathProblem(flux_resource_path) : undefined,
  };
  const found = Object.entries(problems).flatMap(([key, problem]) => (problem ? [[key, [problem]] as const] : []));
  if (found.length > 0) throw new Invalid(Object.fromEntries(found));
}

export async function createEnvironment(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: NewEnvironmentParams,
): Promise<EnvironmentEntity> {
  validate(params);
  const now = Date.now();
  const row = await services.db
    .write((trx) =>
      store.insertEnvironment(trx, {
        project_id: subject.project.id,
        name: params.name,
        slug: slugOf(params.name),
        external_url: params.external_url || null,
        tier: params.tier ?? tierOf(params.name),
        state: 'available',
        description: params.description ?? null,
        auto_stop_setting: params.auto_stop_setting ?? 'always',
        auto_stop_at: null,
        kubernetes_namespace: params.kubernetes_namespace || null,
        flux_resource_path: params.flux_resource_path || null,
        created_at: now,
        updated_at: now,
      }),
    )
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ name: ['has already been taken'] }) : error;
    });
  return presentEnvironment(services, actor, subject, row);
}

export async function updateEnvironment(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: EnvironmentChangeParams,
): Promise<EnvironmentEntity> {
  validate(params);
  const { id } = await requireDeployable(services, actor, subject, params.environment_id);
  const { external_url, tier, description, auto_stop_setting, kubernetes_namespace, flux_resource_path } = params;
  const row = await services.db.write((trx) =>
    store.updateEnvironment(trx, id, {
      ...(external_url === undefined ? {} : { external_url: external_url || null }),
      ...(tier === undefined ? {} : { tier }),
      ...(kubernetes_namespace === undefined ? {} : { kubernetes_namespace: kubernetes_namespace || null }),
      ...(flux_resource_path === undefined ? {} : { flux_resource_path: flux_resource_path || null }),
      ...(description === undefined ? {} : { description }),
      ...(auto_stop_setting === undefined ? {} : { auto_stop_setting }),
      updated_at: Date.now(),
    }),
  );
  return presentEnvironment(services, actor, subject, row);
}

export async function stop(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  id: number,
  force: boolean,
): Promise<EnvironmentEntity> {
  await requireDeployable(services, actor, subject, id);
  const options = { userId: actor.user.id, force };
  const row = await services.db.write((trx) => stopEnvironment(services, trx, id, options));
  if (!row) throw new NotFound('Environment');
  return presentEnvironment(services, actor, subject, row);
}

export async function stopStale(
  services: Services,
  subject: ProjectSubject,
  before: number,
): Promise<{ message: string }> {
  const now = Date.now();
  if (before > now - 7 * day || before < now - 3652 * day) throw new BadRequest('Invalid Date');
  await services.db.write((trx) => store.markStale(trx, subject.project, before, now));
  return { message: 'Successfully requested stop for all stale environments' };
}

export async function deleteEnvironment(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<void> {
  await requireDeployable(services, actor, subject, id);
  await services.db.write(async (trx) => {
    const locked = await store.lockEnvironment(trx, id);
    if (locked && locked.state !== 'stopped') throw new Forbidden();
    await store.deleteEnvironments(trx, [id]);
  });
}

/** Deletes old stopped review apps, or lists them in a dry run. */
export async function deleteReviewApps(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  { before, limit, dry_run }: { before?: number; limit: number; dry_run: boolean },
): Promise<{ scheduled_entries: EnvironmentBasicEntity[]; unprocessable_entries: EnvironmentBasicEntity[] }> {
  const maxEntries = Math.min(Math.max(limit, 1), maxReviewApps);
  return services.db.write(async (trx) => {
    const candidates = await store.oldReviewApps(trx, subject.project.id, before ?? Date.now() - 30 * day, maxEntries);
    const [deletable, protectedOnes] = [[] as EnvironmentRow[], [] as EnvironmentRow[]];
    const ids = candidates.map(({ id }) => id);
    const protectedIds = await store.protectedEnvironmentIds(trx, subject.project, ids);
    for (const row of candidates) {
      const canDelete = !protectedIds.has(row.id) || (await isDeployer(trx, actor.user, subject.project, row));
      (canDelete ? deletable : protectedOnes).push(row);
    }
    const removed = deletable.map(({ id }) => id);
    if (!dry_run) await store.deleteEnvironments(trx, removed);
    return { scheduled_entries: deletable.map(presentBasic), unprocessable_entries: protectedOnes.map(presentBasic) };
  });
}
