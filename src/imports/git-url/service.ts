import type { Services } from '../../access/services.ts';
import type { ImportByUrl } from '../../namespaces/projects/public.ts';
import { type CheckedUrl, EgressRefused } from '../../platform/egress/client.ts';
import { type Credentials, credentialsOf, withoutCredentials } from '../../platform/git/remote/address.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { importLfsObjects, importRepository, importTargets } from '../content/public.ts';
import { beginImport, type ImportRun, type ImportSource, requireSource } from '../project-imports/public.ts';

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

/** Projects that begin as a copy of any repository that git can fetch. */
export const importByUrl: ImportByUrl = {
  check: async (services, url) => {
    await requireSource(services, 'git');
    await checked(services, url);
  },
  begin: async (services, actor, project, text) => {
    const { url } = await checked(services, text);
    const bare = withoutCredentials(url);
    const options: UrlOptions = { url: bare, ...credentialsOf(url) };
    return beginImport(services, actor, project, {
      type: 'git',
      source: bare,
      cloneUrl: bare,
      options: { ...options },
    });
  },
};

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
