import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { personalNamespaceOf } from '../../namespaces/projects/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { HostError } from '../host-client/public.ts';
import {
  findTarget,
  type ImportResultEntity,
  mayImportInto,
  presentImport,
  projectProblem,
  requireSource,
  startImport,
} from '../project-imports/public.ts';
import { repositoryPlace, type ServerOptions, serverClient } from './api.ts';
import { serverRepository } from './records.ts';
import type { ServerImportParams } from './schema.ts';

const lookUpMs = 10_000;

/** A refusal as this endpoint words it. */
function refused(status: number, error: string): HttpError {
  return new HttpError(status, { message: { error } });
}

export async function importRepository(
  services: Services,
  caller: SignedInActor,
  params: ServerImportParams,
): Promise<ImportResultEntity> {
  const url = await readUrl(services, params.hostb_server_url ?? params.bitbucket_server_url ?? '');
  const target = await targetOf(services, caller, params.target_namespace ?? params.new_namespace);
  await requireSource(services, 'bitbucket_server', (text) => refused(403, text));
  const access = {
    url,
    username: params.hostb_server_username ?? params.bitbucket_server_username ?? '',
    token: params.personal_access_token,
    project: params.hostb_server_project ?? params.bitbucket_server_project ?? '',
    repo: params.hostb_server_repo ?? params.bitbucket_server_repo ?? '',
  };
  const { repository, scheme } = await lookUp(services, access);
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
  }).catch((error: unknown) => {
    const problem = projectProblem(error);
    throw problem === undefined ? error : refused(422, problem);
  });
  return presentImport(project, target, source);
}

async function readUrl({ egress }: Services, text: string): Promise<string> {
  try {
    const { url } = await egress.checkUrl(text);
    if (url.username !== '' || url.password !== '') throw new EgressRefused('credentials do not belong there');
    return (url.origin + url.pathname).replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof EgressRefused) throw refused(400, `Invalid URL: ${error.message}`);
    throw error;
  }
}

async function targetOf(services: Services, caller: SignedInActor, path: string | undefined): Promise<Namespace> {
  const target = path ? await findTarget(services, path) : await personalNamespaceOf(services.db.read, caller.user.id);
  if (!target) throw refused(422, 'Namespace or group to import repository into does not exist.');
  if (await mayImportInto(services, caller, target)) return target;
  throw refused(401, "You don't have permissions to import this project");
}

type Asked = Pick<ServerOptions, 'url' | 'username' | 'token' | 'project' | 'repo'>;

/** Looks the repository up; servers where people sign in elsewhere take a token in another way than a password. */
async function lookUp(services: Services, asked: Asked) {
  const place = repositoryPlace(asked);
  const ask = async (scheme: ServerOptions['scheme']) => {
    const client = serverClient(services, { ...asked, scheme });
    return { scheme, repository: (await client.get<unknown>(place, { timeoutMs: lookUpMs })).body };
  };
  try {
    return await ask('basic').catch((error: unknown) => {
      if (error instanceof HostError && error.status === 401) return ask('bearer');
      throw error;
    });
  } catch (error) {
    throw refused(400, scrubUrl(`Import failed due to a BitBucket Server error: ${saidBy(error)}`));
  }
}

function saidBy(error: unknown): string {
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
