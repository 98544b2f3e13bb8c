import type { Services } from '../../access/services.ts';
import { readableRecords, requestOrFail, type SourceList, walkPages } from '../content/public.ts';
import { HostClient } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { hostbPage } from './records.ts';

/** Import options used by the stages. */
export interface HostbOptions {
  readonly api: string;
  /** API username; with a token, Git requires a different one. */
  readonly username: string;
  readonly password: string;
  readonly gitUsername: string;
  readonly repoPath: string;
  readonly cloneUrl: string;
  readonly defaultBranch: string | null;
  readonly hasIssues: boolean;
  readonly hasWiki?: boolean;
}

export function hostbClient(
  { egress }: Services,
  { api, username, password }: Pick<HostbOptions, 'api' | 'username' | 'password'>,
): HostClient {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return new HostClient(egress, api, { authorization: `Basic ${basic}`, accept: 'application/json' });
}

export function repositoryResource({ repoPath }: Pick<HostbOptions, 'repoPath'>): string {
  return `/repositories/${repoPath.split('/').map(encodeURIComponent).join('/')}`;
}

/** Pages of a collection, starting at the saved cursor if it has a name. */
export function hostbPages<T>(run: ImportRun, client: HostClient, list: SourceList<T>, first: string, name?: string) {
  const ask = async (place: string) => {
    const { body } = await requestOrFail(run, client, place, hostbPage);
    return { records: await readableRecords(run, client, list, body.values, place), next: body.next ?? undefined };
  };
  return walkPages(run, { first, ask, ...(name === undefined ? {} : { name }) });
}
