import { randomBytes } from 'node:crypto';
import type { SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, projectSubject } from '../../access/subjects.ts';
import { Forbidden, HttpError, NotFound } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { type HostClient, HostError, RateLimited } from '../host-client/public.ts';
import {
  cancelImport,
  checkedHost,
  findImport,
  findTarget,
  formatProjectError,
  type ImportResultEntity,
  lookUpMs,
  mayImportInto,
  presentImport,
  requireSource,
  startImport,
} from '../project-imports/public.ts';
import { type HostaOptions, hostaClient } from './api.ts';
import { type HostaRepository, hostaRepository } from './records.ts';
import type { HostaImportParams } from './schema.ts';

const perMinute = { count: 6, period: 60_000 };

/** An error in the format of this endpoint. */
export function endpointError(status: number, errors: string): HttpError {
  return new HttpError(status, { errors });
}

export async function importRepository(
  services: Services,
  caller: SignedInActor,
  params: HostaImportParams,
): Promise<ImportResultEntity> {
  const { exceeded } = await services.limits.count('github_import', caller.user.id, perMinute);
  if (exceeded) throw endpointError(429, 'This endpoint has been requested too many times. Try again later.');
  const api = await apiOf(services, params.hosta_hostname ?? params.github_hostname);
  const target = await findTarget(services, params.target_namespace);
  if (!target) throw endpointError(422, 'Namespace or group to import repository into does not exist.');
  if (!(await mayImportInto(services, caller, target))) {
    throw endpointError(422, 'You are not allowed to import projects in this namespace.');
  }
  await requireSource(services, 'github', (text) => new HttpError(403, { errors: [text] }));
  const token = params.personal_access_token;
  const repository = await lookUp(hostaClient(services, api, token), params);
  const options: HostaOptions = {
    token,
    api,
    cloneUrl: repository.clone_url,
    fullName: repository.full_name,
    defaultBranch: repository.default_branch ?? null,
    hasWiki: repository.has_wiki === true,
    perPage: params.pagination_limit ?? 100,
    salt: randomBytes(32).toString('hex'),
    optional_stages: params.optional_stages ?? {},
    timeout_strategy: params.timeout_strategy ?? 'pessimistic',
  };
  const project = await startImport(services, caller, {
    type: 'github',
    source: repository.full_name,
    target,
    name: params.new_name ?? repository.name,
    description: repository.description ?? null,
    visibility: repository.private ? 'private' : 'public',
    cloneUrl: repository.clone_url,
    options: { ...options },
  }).catch(formatProjectError(endpointError));
  return presentImport(project, target, repository.full_name);
}

/** API base URL; GitHub Enterprise uses a separate path. */
export async function apiOf(services: Services, hostname: string | undefined): Promise<string> {
  const { hostaUrl } = services.config;
  if (!hostname) return hostaUrl;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(hostname) ? hostname : `https://${hostname}`;
  const url = await checkedHost(services, text, endpointError);
  if (url.hostname === 'github.com' || url.hostname === 'api.github.com') return hostaUrl;
  const path = url.pathname.startsWith('/api/') ? trimTrailing(url.pathname, '/') : '/api/v3';
  return url.origin + path;
}

export function cannotRead(what: string, scope: string): string {
  return (
    `Your GitHub personal access token does not have read access to the ${what}. ` +
    `Please use a classic GitHub personal access token with the \`${scope}\` scope. Fine-grained tokens are not supported.`
  );
}

async function lookUp(client: HostClient, params: HostaImportParams): Promise<HostaRepository> {
  const repository = await requestOrRefuse(client, `/repositories/${params.repo_id}`, cannotRead('repository', 'repo'));
  if (!hostaRepository.fits(repository) || !URL.canParse(repository.clone_url)) {
    throw endpointError(422, 'Import failed because of a GitHub error: not a repository');
  }
  if (params.optional_stages?.collaborators_import) {
    const place = `/repos/${repository.full_name}/collaborators?per_page=1`;
    await requestOrRefuse(client, place, cannotRead('collaborators', 'read:org'));
  }
  return repository;
}

export async function requestOrRefuse(client: HostClient, place: string, denied: string): Promise<unknown> {
  try {
    return (await client.get<unknown>(place, { timeoutMs: lookUpMs })).body;
  } catch (error) {
    if (error instanceof RateLimited) throw new HttpError(429, { error: 'Too Many Requests' });
    if (error instanceof HostError && (error.status === 401 || error.status === 403)) throw endpointError(422, denied);
    const message = error instanceof Error ? error.message : String(error);
    throw endpointError(422, scrubUrl(`Import failed because of a GitHub error: ${message}`));
  }
}

/** Cancels a GitHub import; requires the Owner role. */
export async function cancel(
  services: Services,
  caller: SignedInActor,
  projectId: number,
): Promise<ImportResultEntity> {
  const { db } = services;
  const found = await lookUpProject(db.read, String(projectId));
  const row = found && (await findImport(db.read, found.project.id));
  if (!found || row?.import_type !== 'github') throw NotFound.record();
  const subject = await projectSubject(db.read, caller, found.project);
  if (!subject.can('read_project')) throw new HttpError(404, { message: 'Not Found' });
  if (subject.levels.highest < Role.owner && caller.user.admin !== 1) throw Forbidden.plain('Unauthorized access');
  const project = await cancelImport(services, found.project);
  return presentImport(project, subject.namespace, row.import_source);
}
