import type { Services } from '../../access/services.ts';
import { HostClient, HostError } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';

/** Somebody there; null stands for an account that is gone. */
export interface HostaUser {
  readonly id: number;
  readonly login: string;
}

export interface HostaRepository {
  readonly id: number;
  readonly name: string;
  readonly full_name: string;
  readonly description: string | null;
  readonly private: boolean;
  readonly default_branch: string | null;
  readonly clone_url: string;
  readonly html_url?: string;
  readonly has_wiki?: boolean;
  readonly permissions?: { readonly push?: boolean };
}

interface Timed {
  readonly created_at: string;
  readonly updated_at: string;
}

export interface HostaMilestone extends Timed {
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'open' | 'closed';
  readonly due_on: string | null;
}

export interface HostaRelease {
  readonly id: number;
  readonly tag_name: string | null;
  readonly name: string | null;
  readonly body: string | null;
  readonly created_at: string;
  readonly published_at: string | null;
  readonly author: HostaUser | null;
}

interface HostaText extends Timed {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  readonly user: HostaUser | null;
  readonly milestone: { readonly number: number } | null;
}

export interface HostaIssue extends HostaText {
  readonly assignees?: readonly HostaUser[];
  readonly labels: readonly ({ readonly name: string } | string)[];
  readonly closed_at?: string | null;
  /** Present when it is a pull request. */
  readonly pull_request?: unknown;
}

interface HostaSide {
  readonly ref: string;
  readonly sha: string;
  readonly repo: { readonly id: number } | null;
  readonly user: HostaUser | null;
}

export interface HostaPull extends HostaText {
  readonly assignee: HostaUser | null;
  readonly draft?: boolean;
  readonly head: HostaSide;
  readonly base: HostaSide;
  readonly merged_at: string | null;
  readonly closed_at?: string | null;
  readonly merge_commit_sha?: string | null;
}

export interface HostaDiffNote extends Timed {
  readonly id: number;
  readonly html_url: string;
  readonly path: string;
  readonly commit_id: string;
  readonly original_commit_id: string;
  readonly diff_hunk: string;
  readonly side?: 'LEFT' | 'RIGHT';
  readonly line?: number | null;
  readonly start_line?: number | null;
  readonly in_reply_to_id?: number;
  readonly subject_type?: 'line' | 'file';
  readonly user: HostaUser | null;
  readonly body: string | null;
}

export interface HostaEvent {
  readonly id?: number;
  readonly event: string;
  readonly actor?: HostaUser | null;
  readonly user?: HostaUser | null;
  readonly body?: string | null;
  readonly state?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly submitted_at?: string;
  readonly commit_id?: string | null;
  readonly label?: { readonly name: string };
  readonly milestone?: { readonly title: string };
  readonly assignee?: HostaUser | null;
  readonly rename?: { readonly from: string; readonly to: string };
  readonly source?: {
    readonly issue?: { readonly id: number; readonly number: number; readonly pull_request?: unknown };
  };
  readonly requested_reviewer?: HostaUser | null;
}

/** What the stages need of what was sent. */
export interface HostaOptions {
  readonly token: string;
  readonly api: string;
  readonly cloneUrl: string;
  readonly fullName: string;
  readonly defaultBranch: string | null;
  readonly hasWiki?: boolean;
  readonly perPage: number;
  readonly optional_stages: {
    readonly collaborators_import?: boolean;
    readonly single_endpoint_notes_import?: boolean;
  };
  readonly timeout_strategy: string;
}

export function hostaClient({ egress }: Services, api: string, token: string, heedRemaining = false): HostClient {
  return new HostClient(
    egress,
    api,
    {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'Hearth',
    },
    heedRemaining,
  );
}

const over = 'over';

/** The pages of a collection, from where the import left off. A page that was handled whole is not asked for again. */
export async function* pagesOf<T>(
  run: ImportRun,
  client: HostClient,
  name: string,
  first: string,
): AsyncGenerator<readonly T[], void> {
  for (let place = run.cursor(name) ?? first; place !== over; ) {
    client.checkPause();
    const { body, next } = await page<T>(run, client, place);
    yield body;
    place = next ?? over;
    await run.advance(name, place);
  }
}

/** All pages of a small collection. */
export async function* everyPage<T>(
  run: ImportRun,
  client: HostClient,
  first: string,
): AsyncGenerator<readonly T[], void> {
  for (let place: string | undefined = first; place !== undefined; ) {
    client.checkPause();
    const { body, next }: { body: readonly T[]; next: string | undefined } = await page<T>(run, client, place);
    yield body;
    place = next;
  }
}

async function page<T>(run: ImportRun, client: HostClient, place: string) {
  const { body, headers } = await client.get<readonly T[]>(place, { signal: run.signal });
  if (!Array.isArray(body)) throw new HostError(200, 'not a list');
  return { body: body as readonly T[], next: nextLink(headers.link) };
}

/** The address of the next page in a `Link` header. */
export function nextLink(header: string | string[] | undefined): string | undefined {
  const links = (Array.isArray(header) ? header.join(', ') : (header ?? '')).split(/,\s*(?=<)/);
  const next = links.find((link) => /;\s*rel="?next"?/i.test(link));
  return next && /^<([^>]+)>/.exec(next)?.[1];
}
