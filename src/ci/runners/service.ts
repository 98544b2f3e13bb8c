import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableGroup, readableProject } from '../../access/subjects.ts';
import { presentIdentity, presentSubjects } from '../../namespaces/projects/public.ts';
import { BadRequest, Forbidden, Invalid, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { type RunnerSubject, readableRunner, runnerSubject } from './access.ts';
import { columnsOf, firstProblem, requireTags } from './columns.ts';
import { jobsAvailableSignal } from './domain-events.ts';
import { mayRegister, tokenExpiry } from './lifetime.ts';
import { requireWithinLimit } from './limit.ts';
import { type RunnerScope, runnerList } from './list.ts';
import { presentManagers, presentRunners } from './present.ts';
import type {
  NewRunnerParams,
  RegistrationEntity,
  RunnerChangeParams,
  RunnerDetailsEntity,
  RunnerEntity,
  RunnerManagerEntity,
} from './schema.ts';
import * as store from './store.ts';
import type { RunnerRow, RunnerType } from './tables.ts';

type Filters = Parameters<typeof runnerList.page>[2];

async function page(
  services: Services,
  scopes: readonly Omit<RunnerScope, 'now'>[],
  filters: Filters,
  slice: PageRequest,
): Promise<Page<RunnerEntity>> {
  if (!/^(?:[\d.]|$)/.test(filters.version_prefix ?? '')) throw new ParameterError('version_prefix is invalid');
  const order = { by: 'id', direction: 'asc' } as const;
  const now = Date.now();
  const scoped = scopes.map((scope) => ({ ...scope, now }));
  const { rows, total } = await runnerList.page(services.db.read, scoped, filters, order, slice);
  return new Page(await presentRunners(services, rows), total);
}

/** Lists the runners the caller manages in projects and groups, plus instance runners for administrators. */
export function listOwnRunners(services: Services, caller: SignedInActor, filters: Filters, slice: PageRequest) {
  const user = caller.user.id;
  const own = [
    { of: "user's groups", user },
    { of: "user's projects", user },
  ] as const;
  return page(services, isAdmin(caller) ? [{ of: 'everybody' }, ...own] : own, filters, slice);
}

export function listAllRunners(services: Services, filters: Filters, slice: PageRequest) {
  return page(services, [{ of: 'all' }], filters, slice);
}

/** Lists the runners available to a project or group: its own, those of its ancestor groups, and instance runners. */
export async function listRunnersOf(
  services: Services,
  subject: ProjectOrGroup,
  filters: Filters,
  slice: PageRequest,
): Promise<Page<RunnerEntity>> {
  const { kind, id } = namespaceOf(subject);
  const groups = kind === 'group' ? await selfAndAncestorIds(services.db.read, id) : [];
  const own = isProject(subject) ? [{ of: 'project', project: subject.project.id } as const] : [];
  const above = groups.map((group) => ({ of: 'group', group }) as const);
  return page(services, [{ of: 'everybody' }, ...above, ...own], filters, slice);
}

async function presentDetails(
  services: Services,
  { runner, group, projects, may }: RunnerSubject,
): Promise<RunnerDetailsEntity> {
  const [[listed], latest] = await Promise.all([
    presentRunners(services, [runner]),
    store.latestManager(services.db.read, runner.id),
  ]);
  if (!listed) throw new NotFound('Runner');
  const shown = projects.filter((project) => project.levels.highest > 0 || may.update);
  return {
    ...listed,
    tag_list: storedStrings(runner.tag_list),
    run_untagged: runner.run_untagged === 1,
    locked: runner.locked === 1,
    maximum_timeout: runner.maximum_timeout,
    access_level: runner.access_level,
    version: latest?.version ?? null,
    revision: latest?.revision ?? null,
    platform: latest?.platform ?? null,
    architecture: latest?.architecture ?? null,
    contacted_at: instantOrNull(runner.contacted_at),
    maintenance_note: may.update ? runner.maintenance_note : null,
    projects: shown.map(({ project, namespace }) => presentIdentity(project, namespace)),
    groups: group
      ? [
          {
            id: group.group.id,
            web_url: `${services.externalUrl}/groups/${group.group.full_path}`,
            name: group.group.name,
          },
        ]
      : [],
  };
}

export async function getRunner(
  services: Services,
  caller: SignedInActor,
  id: number,
  withProjects = true,
): Promise<RunnerDetailsEntity> {
  const details = await presentDetails(services, await readableRunner(services, caller, id));
  return withProjects ? details : { ...details, projects: [] };
}

const tokenPrefixes: Readonly<Record<RunnerType, string>> = {
  instance_type: 'glrt-t1_',
  group_type: 'glrt-t2_',
  project_type: 'glrt-t3_',
};

const noTags = 'Tags list can not be empty when runner is not allowed to pick untagged jobs';

/** Resolves the owner of a new runner and checks that the caller may create it. */
async function ownerOf(
  { db, settings }: Services,
  caller: SignedInActor,
  { runner_type, group_id, project_id }: NewRunnerParams,
): Promise<{ namespace_id: number | null; project?: ProjectSubject }> {
  const forbidden = new Forbidden('Insufficient permissions');
  if (runner_type === 'instance_type') {
    if (!isAdmin(caller)) throw forbidden;
    return { namespace_id: null };
  }
  if (!isAdmin(caller) && !mayRegister(await settings.read(), runner_type)) throw forbidden;
  if (runner_type === 'group_type') {
    if (group_id === undefined) throw new BadRequest('group_id is missing');
    const group = await readableGroup(db, caller, group_id);
    if (!group.can('admin_runner')) throw forbidden;
    return { namespace_id: group.group.id };
  }
  if (project_id === undefined) throw new BadRequest('project_id is missing');
  const project = await readableProject(db, caller, project_id);
  if (!project.can('admin_runner')) throw forbidden;
  return { namespace_id: null, project };
}

export async function createRunner(
  services: Services,
  caller: SignedInActor,
  params: NewRunnerParams,
): Promise<RegistrationEntity> {
  const { namespace_id, project } = await ownerOf(services, caller, params);
  const problem = firstProblem(params);
  if (problem !== undefined) throw new BadRequest(problem);
  const columns = columnsOf(params);
  const tags = storedStrings(columns.tag_list ?? '[]');
  if (params.run_untagged === false && tags.length === 0) throw new BadRequest(noTags);
  const token = `${tokenPrefixes[params.runner_type]}${randomToken()}`;
  const now = Date.now();
  const token_expires_at = tokenExpiry(await services.settings.read(), params.runner_type, now);
  const { id } = await services.db.write(async (trx) => {
    await requireWithinLimit(trx, { namespaceId: namespace_id, projectId: project?.project.id ?? null });
    const runner = await store.insertRunner(trx, {
      runner_type: params.runner_type,
      token_digest: digest(token),
      namespace_id,
      creator_id: caller.user.id,
      description: null,
      ...columns,
      token_expires_at,
      created_at: now,
      updated_at: now,
    });
    if (project) await store.assignProject(trx, runner.id, project.project.id);
    return runner;
  });
  return { id, token, token_expires_at: instantOrNull(token_expires_at) };
}

async function editableRunner(services: Services, caller: SignedInActor, id: number): Promise<RunnerSubject> {
  const subject = await readableRunner(services, caller, id);
  if (!subject.may.update) throw new Forbidden('No access granted');
  return subject;
}

export async function updateRunner(
  services: Services,
  caller: SignedInActor,
  id: number,
  params: RunnerChangeParams,
): Promise<RunnerDetailsEntity> {
  const { runner } = await editableRunner(services, caller, id);
  const columns = columnsOf(params);
  requireTags({ ...runner, ...columns });
  const changed = await services.db.write((trx) => store.updateRunner(trx, id, { ...columns, updated_at: Date.now() }));
  // The change may allow the runner to take jobs it skipped before.
  services.signals.notify(jobsAvailableSignal);
  return presentDetails(services, await runnerSubject(services, caller, changed));
}

/** `unchanged` throws if the runner was modified since the time the client specified. */
export async function deleteRunner(
  services: Services,
  caller: SignedInActor,
  id: number,
  unchanged: (changedAt: number) => void,
): Promise<void> {
  const { runner, may, projects } = await editableRunner(services, caller, id);
  unchanged(runner.updated_at);
  if (!may.delete) {
    const shared = projects.length > 1;
    throw new Forbidden(shared ? 'Runner associated with more than one project' : 'No access granted');
  }
  await services.db.write((trx) => store.deleteRunner(trx, id));
}

export async function listManagers(
  services: Services,
  caller: SignedInActor,
  id: number,
  slice: PageRequest,
): Promise<Page<RunnerManagerEntity>> {
  const { runner } = await readableRunner(services, caller, id);
  const { read } = services.db;
  const [{ rows, total }, working] = await Promise.all([
    store.listManagers(read, runner.id, slice),
    store.busyRunners(read, [runner.id]),
  ]);
  return new Page(presentManagers(rows, working.managers), total);
}

/** Lists the projects of a runner that the caller can see. */
export async function listProjectsOf(services: Services, caller: SignedInActor, id: number, slice: PageRequest) {
  const { projects } = await readableRunner(services, caller, id);
  const visible = projects.filter((project) => project.can('read_project'));
  const shown = visible.slice(slice.offset, slice.offset + slice.perPage);
  return new Page(await presentSubjects(services, caller, shown, { layer: 'basic' }), visible.length);
}

/** Replaces the token of a runner; the old one stops working immediately. */
export async function renewToken(services: Services, runner: RunnerRow) {
  const token = `${runner.legacy === 1 ? 'glrtr-' : tokenPrefixes[runner.runner_type]}${randomToken()}`;
  const now = Date.now();
  const token_expires_at = tokenExpiry(await services.settings.read(), runner.runner_type, now);
  const change = { token_digest: digest(token), token_expires_at, updated_at: now };
  await services.db.write((trx) => store.updateRunner(trx, runner.id, change));
  return { token, token_expires_at: instantOrNull(token_expires_at) };
}

export async function resetToken(services: Services, caller: SignedInActor, id: number) {
  const { runner } = await editableRunner(services, caller, id);
  return renewToken(services, runner);
}

/** Assigns a project runner to another project. */
export async function enableRunner(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  runnerId: number,
): Promise<RunnerEntity> {
  const { runner, may } = await readableRunner(services, caller, runnerId);
  if (runner.runner_type === 'group_type') throw new Forbidden('Runner is a group runner');
  if (runner.locked === 1 && !isAdmin(caller)) throw new Forbidden('Runner is locked');
  if (runner.runner_type !== 'project_type' || !may.update) throw new Forbidden('No access granted');
  const added = await services.db.write((trx) => store.assignProject(trx, runner.id, project.id));
  if (!added) throw new Invalid({ runner_id: ['has already been taken'] });
  const [entity] = await presentRunners(services, [runner]);
  if (!entity) throw new NotFound('Runner');
  return entity;
}

export async function disableRunner(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  runnerId: number,
): Promise<void> {
  const runner = await store.findRunner(services.db.read, runnerId);
  const ids = runner ? await store.projectIdsOf(services.db.read, runner.id) : [];
  if (!runner || !ids.includes(project.id)) throw new NotFound('Runner');
  if (ids[0] === project.id) {
    const text = 'You cannot unassign a runner from the owner project. Delete the runner instead';
    throw new Forbidden(isAdmin(caller) ? text : 'No access granted');
  }
  await services.db.write((trx) => store.unassignProject(trx, runner.id, project.id));
}
