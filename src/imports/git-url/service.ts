import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { projectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { ImportByUrl } from '../../namespaces/projects/public.ts';
import { type CheckedUrl, EgressRefused } from '../../platform/egress/client.ts';
import { type Credentials, credentialsOf, withoutCredentials } from '../../platform/git/remote/address.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { importLfsObjects, importRepository, importTargets } from '../content/public.ts';
import {
  beginImport,
  type ImportRun,
  type ImportSource,
  type ImportStatusEntity,
  importStatus,
  requireSource,
  retryImport,
} from '../project-imports/public.ts';

interface UrlOptions extends Credentials {
  readonly url: string;
}

async function checked({ egress }: Services, text: string): Promise<CheckedUrl> {
  try {
    return await egress.checkUrl(text, importTargets);
  } catch (error) {
    throw error instanceof EgressRefused ? new Invalid({ import_url: [`is blocked: ${error.message}`] }) : error;
  }
}

/** Creates projects as a copy of any repository Git can fetch. */
export const importByUrl: ImportByUrl = {
  check: async (services, url) => {
    await requireSource(services, 'git');
    await checked(services, url);
  },
  begin: async (services, actor, project, text) =>
    beginImport(services, actor, project, await importOptions(services, text)),
};

async function importOptions(services: Services, text: string) {
  const { url } = await checked(services, text);
  const bare = withoutCredentials(url);
  const options: UrlOptions = { url: bare, ...credentialsOf(url) };
  return { type: 'git', source: bare, cloneUrl: bare, options: { ...options } };
}

/** Retries a failed import that imported nothing. */
export async function retryByUrl(
  services: Services,
  actor: SignedInActor,
  project: Project,
  url: string,
): Promise<ImportStatusEntity> {
  await requireSource(services, 'git');
  const begun = await retryImport(services, actor, project, await importOptions(services, url));
  return importStatus(services, await projectSubject(services.db.read, actor, begun));
}

export const urlSource: ImportSource = {
  type: 'git',
  stages: [
    { name: 'repository', run: fetchRepository },
    { name: 'lfs_objects', run: fetchLargeFiles },
  ],
};

async function fetchRepository(run: ImportRun): Promise<void> {
  const { url, ...secrets } = run.options<UrlOptions>();
  await importRepository(run, { url, secrets });
}

async function fetchLargeFiles(run: ImportRun): Promise<void> {
  const { url, ...credentials } = run.options<UrlOptions>();
  if (url.startsWith('http')) await importLfsObjects(run, url, credentials);
}
