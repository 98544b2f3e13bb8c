import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { HostError } from '../host-client/public.ts';
import {
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
import { type HostbOptions, hostbClient, repositoryResource } from './api.ts';
import { type HostbRepository, hostbRepository, hostbUser } from './records.ts';
import { type HostbAccess, type HostbImportParams, paramOf } from './schema.ts';

export async function importRepository(
  services: Services,
  caller: SignedInActor,
  params: HostbImportParams,
): Promise<ImportResultEntity> {
  const target = await findTarget(services, params.target_namespace);
  if (!target) throw refused(422, 'Namespace or group to import repository into does not exist.');
  if (!(await mayImportInto(services, caller, target))) {
    throw refused(401, "You don't have permissions to import this project");
  }
  await requireSource(services, 'bitbucket', (text) => refused(403, text));
  const repoPath = params.repo_path.replaceAll('___', '/');
  const access = credentialsOf(services, params);
  const repository = await lookUp(services, access, repoPath);
  const cloneUrl = repository.links?.clone?.find(({ name }) => name === 'https')?.href;
  if (!cloneUrl) throw refused(422, `Project ${repoPath} could not be found or is invalid`);
  const options: HostbOptions = {
    ...access,
    repoPath,
    cloneUrl: withoutUser(cloneUrl),
    defaultBranch: repository.mainbranch?.name ?? null,
    hasIssues: repository.has_issues === true,
    hasWiki: repository.has_wiki === true,
  };
  const source = repository.full_name ?? repoPath;
  const project = await startImport(services, caller, {
    type: 'bitbucket',
    source,
    target,
    name: params.new_name ?? repository.name,
    description: repository.description ?? null,
    visibility: repository.is_private === false ? 'public' : 'private',
    cloneUrl: options.cloneUrl,
    options: { ...options },
  }).catch(formatProjectError(refused));
  return presentImport(project, target, source);
}

/** The credentials of a request. */
export function credentialsOf({ config }: Services, params: HostbAccess) {
  const token = paramOf(params, 'api_token');
  const username = (token === undefined ? paramOf(params, 'username') : paramOf(params, 'email')) ?? '';
  const password = token ?? paramOf(params, 'app_password') ?? '';
  const gitUsername = token === undefined ? username : 'x-bitbucket-api-token-auth';
  return { api: config.hostbUrl, username, password, gitUsername };
}

// The source host includes the username in the clone URL.
function withoutUser(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.username = '';
  url.password = '';
  return url.href;
}

async function lookUp(
  services: Services,
  access: Pick<HostbOptions, 'api' | 'username' | 'password'>,
  repoPath: string,
): Promise<HostbRepository> {
  const client = hostbClient(services, access);
  const ask = async (place: string) => (await client.get<unknown>(place, { timeoutMs: lookUpMs })).body;
  try {
    const user = await ask('/user').catch(nullOnStatus(401, 403));
    if (!hostbUser.fits(user) || Object.keys(user).length === 0) {
      throw refused(401, 'Unable to authorize with Bitbucket. Check your credentials');
    }
    const repository = await ask(repositoryResource({ repoPath })).catch(nullOnStatus(403, 404));
    if (repository === null || (typeof repository === 'object' && 'error' in repository)) {
      throw refused(422, `Project ${repoPath} could not be found`);
    }
    if (hostbRepository.fits(repository)) return repository;
    throw refused(422, `Project ${repoPath} could not be found or is invalid`);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw refused(400, scrubUrl(`Import failed due to an error: ${message}`));
  }
}

export function nullOnStatus(...statuses: number[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof HostError && statuses.includes(error.status)) return null;
    throw error;
  };
}
