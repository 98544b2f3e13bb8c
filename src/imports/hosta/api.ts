import type { Services } from '../../access/services.ts';
import { readableRecords, requestListOrFail, type SourceList, walkPages } from '../content/public.ts';
import { HostClient } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';

/** Import options used by the stages. */
export interface HostaOptions {
  readonly token: string;
  readonly api: string;
  readonly cloneUrl: string;
  readonly fullName: string;
  readonly defaultBranch: string | null;
  readonly hasWiki?: boolean;
  readonly perPage: number;
  /** Salt for the secrets of uploaded files. */
  readonly salt: string;
  readonly optional_stages: {
    readonly attachments_import?: boolean;
    readonly collaborators_import?: boolean;
    readonly single_endpoint_notes_import?: boolean;
  };
  readonly timeout_strategy: string;
}

export function hostaClient({ egress }: Services, api: string, token: string, reserveRequests = false): HostClient {
  return new HostClient(
    egress,
    api,
    {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'Hearth',
    },
    reserveRequests,
  );
}

/** Pages of a collection, starting at the saved cursor. */
export function pagesOf<T>(run: ImportRun, client: HostClient, list: SourceList<T>, name: string, first: string) {
  return walkPages(run, { first, name, ask: (place) => page(run, client, list, place) });
}

/** All pages of a small collection. */
export function everyPage<T>(run: ImportRun, client: HostClient, list: SourceList<T>, first: string) {
  return walkPages(run, { first, ask: (place) => page(run, client, list, place) });
}

async function page<T>(run: ImportRun, client: HostClient, list: SourceList<T>, place: string) {
  client.checkPause();
  const { body, headers } = await requestListOrFail(run, client, place);
  return { records: await readableRecords(run, client, list, body, place), next: nextLink(headers.link) };
}

/** URL of the next page in a `Link` header. */
export function nextLink(header: string | string[] | undefined): string | undefined {
  const links = (Array.isArray(header) ? header.join(', ') : (header ?? '')).split(/,\s*(?=<)/);
  const next = links.find((link) => /;\s*rel="?next"?/i.test(link));
  return next && /^<([^>]+)>/.exec(next)?.[1];
}
