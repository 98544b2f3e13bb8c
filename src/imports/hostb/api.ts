import type { Services } from '../../access/services.ts';
import { HostClient, HostError } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';

export interface HostbUser {
  readonly uuid?: string;
  readonly nickname?: string;
  readonly display_name?: string;
}

export interface HostbRepository {
  readonly name: string;
  readonly full_name?: string;
  readonly description?: string | null;
  readonly is_private?: boolean;
  readonly has_issues?: boolean;
  readonly has_wiki?: boolean;
  readonly mainbranch?: { readonly name?: string } | null;
  readonly links?: { readonly clone?: readonly { readonly name: string; readonly href: string }[] };
  readonly error?: unknown;
}

interface HostbSide {
  readonly branch: { readonly name: string };
  readonly commit?: { readonly hash: string } | null;
  readonly repository?: { readonly uuid?: string } | null;
}

interface Timed {
  readonly id: number;
  readonly created_on: string;
  readonly updated_on?: string | null;
}

export interface HostbPull extends Timed {
  readonly title: string;
  readonly description?: string | null;
  readonly state: string;
  readonly author?: HostbUser | null;
  readonly source: HostbSide;
  readonly destination: HostbSide;
  readonly merge_commit?: { readonly hash: string } | null;
}

export interface HostbComment extends Timed {
  readonly content: { readonly raw?: string | null };
  readonly user?: HostbUser | null;
  readonly inline?: { readonly path: string; readonly from?: number | null; readonly to?: number | null };
  readonly parent?: { readonly id: number };
  readonly deleted?: boolean;
}

export interface HostbIssue extends Timed {
  readonly title: string;
  readonly content?: { readonly raw?: string | null };
  readonly state: string;
  readonly kind?: string;
  readonly reporter?: HostbUser | null;
  readonly edited_on?: string | null;
}

/** What the stages need of what was sent. */
export interface HostbOptions {
  readonly api: string;
  /** For the API; git knows those who come with a token by another name. */
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

export function repositoryPlace({ repoPath }: Pick<HostbOptions, 'repoPath'>): string {
  return `/repositories/${repoPath.split('/').map(encodeURIComponent).join('/')}`;
}

const over = 'over';

/** The pages of a collection, from where the import left off, if it has a name to remember that by. */
export async function* hostbPages<T>(
  run: ImportRun,
  client: HostClient,
  first: string,
  name?: string,
): AsyncGenerator<readonly T[], void> {
  for (let place = (name && run.cursor(name)) ?? first; place !== over; ) {
    const { body } = await client.get<{ values?: readonly T[]; next?: string }>(place, { signal: run.signal });
    if (!Array.isArray(body.values)) throw new HostError(200, 'not a list');
    yield body.values as readonly T[];
    place = body.next ?? over;
    if (name) await run.advance(name, place);
  }
}
