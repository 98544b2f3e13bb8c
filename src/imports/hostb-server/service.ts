import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { personalNamespaceOf } from '../../namespaces/projects/public.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { HostError } from '../host-client/public.ts';
import {
  checkedHost,
  findTarget,
  formatProjectError,
  type ImportResultEntity,
  lookUpMs,
  mayImportInto,
  presentImport,
  messageErrorFormat as refused,
  requireSource,
  startImport,
} from '../project-imports/public.ts';
import { repositoryResource, type ServerOptions, serverClient } from './api.ts';
import { serverRepository } from './records.ts';
import type { ServerImportParams } from './schema.ts';

export async function importRepository(
  services: Services,
  caller: SignedInActor,
  params: ServerImportParams,
): Promise<ImportResultEntity> {
  const url = await serverUrl(services, params.hostb_server_url ?? params.bitbucket_server_url ?? '');
  const target = await targetOf(services, caller, params.target_namespace ?? params.new_namespace);
  await requireSource(services, 'bitbucket_server', (text) => refused(403, text));
  const access = {
    url,
    username: params.hostb_server_username ?? params.bitbucket_server_username ?? '',
    token: params.personal_access_token,
    project: params.hostb_server_project ?? params.bitbucket_server_project ?? '',
    repo: params.hostb_server_repo ?? params.bitbucket_server_repo ?? '',
  };
  const { body: repository, scheme } = await askServer(services, access, repositoryResource(access));
  if (!serverRepository.fits(repository)) {
    throw refused(422, `Project ${access.project}/${access.repo} could not be found or is invalid`);
  }
  const cloneUrl = repository.links?.clone?.find(({ name }) => name.startsWith('http'))?.href;
  if (!cloneUrl) throw refused(422, `Project ${access.project}/${access.repo} could not be found`);
  const options: ServerOptions = {
    ...access,
    cloneUrl,
    scheme,
    timeout_strategy: params.timeout_strategy ?? 'pessimistic',
  };
  const source = repository.links?.self?.[0]?.href ?? `${url}/projects/${access.project}/repos/${access.repo}/browse`;
  const project = await startImport(services, caller, {
    type: 'bitbucket_server',
    source,
    target,
    name: params.new_name ?? repository.name,
    description: repository.description ?? null,
    visibility: repository.project?.public ? 'public' : 'private',
    cloneUrl,
    options: { ...options },
  }).catch(formatProjectError(refused));
  return presentImport(project, target, source);
}

/** URL of the server, without a trailing slash. */
export async function serverUrl(services: Services, sent: string): Promise<string> {
  const { origin, pathname } = await checkedHost(services, sent, refused);
  return trimTrailing(origin + pathname, '/');
}

async function targetOf(services: Services, caller: SignedInActor, path: string | undefined): Promise<Namespace> {
  const target = path ? await findTarget(services, path) : await personalNamespaceOf(services.db.read, caller.user.id);
  if (!target) throw refused(422, 'Namespace or group to import repository into does not exist.');
  if (await mayImportInto(services, caller, target)) return target;
  throw refused(401, "You don't have permissions to import this project");
}

/** Sends a request to a server. Servers with single sign-on accept tokens only as Bearer. */
export async function askServer(
  services: Services,
  access: Pick<ServerOptions, 'url' | 'username' | 'token'>,
  place: string,
) {
  const ask = async (scheme: ServerOptions['scheme']) => {
    const client = serverClient(services, { ...access, scheme });
    return { scheme, body: (await client.get<unknown>(place, { timeoutMs: lookUpMs })).body };
  };
  try {
    return await ask('basic').catch((error: unknown) => {
      if (error instanceof HostError && error.status === 401) return ask('bearer');
      throw error;
    });
  } catch (error) {
    throw refused(400, scrubUrl(`Import failed due to a BitBucket Server error: ${errorMessage(error)}`));
  }
}

function errorMessage(error: unknown): string {
  if (!(error instanceof HostError)) return error instanceof Error ? error.message : String(error);
  return `Error ${error.status}: ${firstMessage(error.body)}`;
}

function firstMessage(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: readonly { message?: string }[] };
    return errors?.[0]?.message ?? body.slice(0, 200);
  } catch {
    return body.slice(0, 200);
  }
}
