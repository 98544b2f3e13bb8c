import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpNamespace, type ProjectSubject } from '../../../access/subjects.ts';
import { projectUrl } from '../../../code/repository/public.ts';
import { NotFound, Unauthorized } from '../../../platform/http/errors.ts';
import { readablePackagesOf } from '../gate.ts';
import { send } from '../service.ts';
import { projectsWith } from '../store.ts';
import { compareVersions, latestOf } from '../versions.ts';
import { type ModuleName, moduleFile, modulePackage } from './names.ts';
import type { ModuleEntity, ModuleFileParams, ModuleParams, ModuleVersionsEntity } from './schema.ts';
import * as store from './store.ts';
import { issueTicket, openTicket } from './ticket.ts';

const maxProjects = 100;
const maxVersions = 1000;

/** A module with its versions, highest first. */
interface Found {
  readonly subject: ProjectSubject;
  readonly versions: readonly [store.ModuleVersion, ...store.ModuleVersion[]];
}

/** Finds a module in some projects. Names are unique per root namespace, so at most one project counts. */
async function findIn(services: Services, subjects: readonly ProjectSubject[], name: ModuleName): Promise<Found> {
  const packageName = modulePackage(name);
  const ids = subjects.map(({ project }) => project.id);
  const found =
    packageName === undefined ? [] : await store.versionsIn(services.db.read, ids, packageName, maxVersions);
  // A transferred project can bring a duplicate name; the latest publication counts.
  const own = found.filter(({ project_id }) => project_id === found[0]?.project_id);
  const [highest, ...others] = own.toSorted((one, other) => compareVersions(other.version, one.version));
  const subject = subjects.find(({ project }) => project.id === highest?.project_id);
  if (!highest || !subject) throw new NotFound();
  return { subject, versions: [highest, ...others] };
}

/** Finds a module in the projects of a namespace the caller can read. */
async function find(services: Services, caller: Actor, params: ModuleParams): Promise<Found> {
  const { module_namespace: path } = params;
  const { read } = services.db;
  const name = modulePackage(params);
  const root = /^\d+$/.test(path) || path.includes('/') ? undefined : await lookUpNamespace(read, path);
  if (!root || name === undefined) throw new NotFound();
  const ids = await projectsWith(read, { package_type: 'terraform_module', name }, root.id, maxProjects);
  return findIn(services, await readablePackagesOf(services, caller, ids), params);
}

function requireVersion({ versions }: Found, requestedVersion?: string): store.ModuleVersion {
  const found =
    requestedVersion === undefined ? latestOf(versions) : versions.find(({ version }) => version === requestedVersion);
  if (!found) throw new NotFound();
  return found;
}

export async function listVersions(
  services: Services,
  caller: Actor,
  params: ModuleParams,
): Promise<ModuleVersionsEntity> {
  const { subject, versions } = await find(services, caller, params);
  const root = { dependencies: [], providers: [{ name: params.module_system, version: '' }] };
  const shown = versions.map(({ version }) => ({ version, submodules: [], root }));
  return { modules: [{ versions: shown, source: projectUrl(services, subject) }] };
}

/** Describes a version, or the latest one with a list of all versions. */
export async function getModule(
  services: Services,
  caller: Actor,
  params: ModuleParams,
  requestedVersion?: string,
): Promise<ModuleEntity> {
  const found = await find(services, caller, params);
  const { version } = requireVersion(found, requestedVersion);
  return {
    name: `${params.module_name}/${params.module_system}`,
    provider: params.module_system,
    providers: [params.module_system],
    root: { dependencies: [] },
    source: projectUrl(services, found.subject),
    submodules: [],
    version,
    versions: requestedVersion === undefined ? found.versions.map((one) => one.version) : [version],
  };
}

function addressOf({ externalUrl }: Services, params: ModuleParams, version: string): string {
  const { module_namespace, module_name, module_system } = params;
  const words = [module_namespace, module_name, module_system, version].map(encodeURIComponent);
  return `${new URL(externalUrl).pathname.replace(/\/$/, '')}/api/v4/packages/terraform/modules/v1/${words.join('/')}`;
}

/** Redirects to the latest version. */
export async function redirectToLatest(services: Services, caller: Actor, params: ModuleParams, reply: FastifyReply) {
  const { version } = requireVersion(await find(services, caller, params));
  return reply.redirect(`${addressOf(services, params, version)}/download`, 302);
}

/** Sends the file URL of a version in the header Terraform expects. */
export async function sendDownloadUrl(
  services: Services,
  caller: Actor,
  params: ModuleParams,
  requestedVersion: string,
  reply: FastifyReply,
): Promise<void> {
  const { id, version } = requireVersion(await find(services, caller, params), requestedVersion);
  const query = new URLSearchParams({ download_token: issueTicket(services, id), archive: 'tgz' });
  reply.header('x-terraform-get', `${addressOf(services, params, version)}/file?${query}`);
}

/** Sends the file of a version to callers with read access or a valid ticket. */
export async function sendFile(services: Services, caller: Actor, params: ModuleFileParams, reply: FastifyReply) {
  const { module_version: requestedVersion, download_token: ticket } = params;
  if (ticket === undefined)
    return sendVersion(services, await find(services, caller, params), params, requestedVersion, reply);
  const opened = openTicket(services, ticket);
  if (opened === undefined) throw new Unauthorized();
  return sendModule(services, opened, moduleFile(params, requestedVersion), reply);
}

/** Sends the file of a version, by default the latest, from a project. */
export async function sendOfProject(
  services: Services,
  subject: ProjectSubject,
  name: ModuleName,
  requestedVersion: string | undefined,
  reply: FastifyReply,
) {
  return sendVersion(services, await findIn(services, [subject], name), name, requestedVersion, reply);
}

async function sendVersion(
  services: Services,
  found: Found,
  name: ModuleName,
  requestedVersion: string | undefined,
  reply: FastifyReply,
) {
  const { id, version } = requireVersion(found, requestedVersion);
  return sendModule(services, id, moduleFile(name, version), reply);
}

async function sendModule(services: Services, packageId: number, name: string | undefined, reply: FastifyReply) {
  const file = name === undefined ? undefined : await store.fileOf(services.db.read, packageId, name);
  if (!file) throw new NotFound();
  return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
}
