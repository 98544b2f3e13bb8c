import type { Services } from '../../access/services.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { readableRecords, requestOrFail, type SourceList, walkPages } from '../content/public.ts';
import { HostClient } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { serverPage } from './records.ts';

/** Import options used by the stages. */
export interface ServerOptions {
  readonly url: string;
  readonly username: string;
  readonly token: string;
  readonly project: string;
  readonly repo: string;
  readonly cloneUrl: string;
  /** How the server accepts the token. */
  readonly scheme: 'basic' | 'bearer';
  readonly timeout_strategy: string;
}

type Access = Pick<ServerOptions, 'url' | 'username' | 'token' | 'scheme'>;

export function serverClient({ egress }: Services, { url, username, token, scheme }: Access): HostClient {
  const basic = Buffer.from(`${username}:${token}`).toString('base64');
  const authorization = scheme === 'basic' ? `Basic ${basic}` : `Bearer ${token}`;
  return new HostClient(egress, `${trimTrailing(url, '/')}/rest/api/1.0`, {
    authorization,
    accept: 'application/json',
  });
}

/** `/projects/KEY/repos/slug`. */
export function repositoryResource({ project, repo }: Pick<ServerOptions, 'project' | 'repo'>): string {
  return `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repo)}`;
}

/** Pages of a collection, starting at the saved cursor if it has a name. */
export function serverPages<T>(run: ImportRun, client: HostClient, list: SourceList<T>, place: string, name?: string) {
  const join = place.includes('?') ? '&' : '?';
  const ask = async (start: string) => {
    const asked = `${place}${join}limit=100&start=${start}`;
    const { body } = await requestOrFail(run, client, asked, serverPage);
    const next = body.isLastPage === false ? body.nextPageStart : undefined;
    return {
      records: await readableRecords(run, client, list, body.values, asked),
      next: typeof next === 'number' && next > Number(start) ? String(next) : undefined,
    };
  };
  return walkPages(run, { first: '0', ask, ...(name === undefined ? {} : { name }) });
}
