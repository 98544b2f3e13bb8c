import type { Services } from '../../access/services.ts';
import { HostClient, HostError } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';

export interface ServerUser {
  readonly name?: string;
  readonly slug?: string;
  readonly displayName?: string;
  readonly emailAddress?: string;
}

export interface ServerRepository {
  readonly slug: string;
  readonly name: string;
  readonly description?: string | null;
  readonly project: { readonly key: string; readonly public?: boolean };
  readonly links?: {
    readonly clone?: readonly { readonly name: string; readonly href: string }[];
    readonly self?: readonly { readonly href: string }[];
  };
}

interface ServerRef {
  readonly id: string;
  readonly latestCommit: string;
}

export interface ServerPull {
  readonly id: number;
  readonly title: string;
  readonly description?: string | null;
  readonly state: 'OPEN' | 'MERGED' | 'DECLINED';
  readonly createdDate: number;
  readonly updatedDate: number;
  readonly fromRef: ServerRef;
  readonly toRef: ServerRef;
  readonly author: { readonly user: ServerUser };
  readonly reviewers?: readonly { readonly user: ServerUser }[];
}

export interface ServerComment {
  readonly id: number;
  readonly text: string;
  readonly author: ServerUser;
  readonly createdDate: number;
  readonly comments?: readonly ServerComment[];
}

interface Line {
  readonly source: number;
  readonly destination: number;
  readonly commentIds?: readonly number[];
}

export interface ServerActivity {
  readonly id: number;
  readonly action: string;
  readonly createdDate: number;
  readonly user: ServerUser;
  readonly comment?: ServerComment;
  readonly commentAnchor?: {
    readonly path: string;
    readonly srcPath?: string;
    readonly line?: number;
    readonly lineType?: string;
    readonly fromHash?: string;
    readonly toHash?: string;
  };
  readonly diff?: {
    readonly hunks?: readonly {
      readonly segments?: readonly { readonly type: string; readonly lines?: readonly Line[] }[];
    }[];
  };
  readonly commit?: { readonly id: string; readonly committer?: ServerUser; readonly committerTimestamp?: number };
}

/** What the stages need of what was sent. */
export interface ServerOptions {
  readonly url: string;
  readonly username: string;
  readonly token: string;
  readonly project: string;
  readonly repo: string;
  readonly cloneUrl: string;
  /** How the server takes the token. */
  readonly scheme: 'basic' | 'bearer';
  readonly timeout_strategy: string;
}

type Access = Pick<ServerOptions, 'url' | 'username' | 'token' | 'scheme'>;

export function serverClient({ egress }: Services, { url, username, token, scheme }: Access): HostClient {
  const basic = Buffer.from(`${username}:${token}`).toString('base64');
  const authorization = scheme === 'basic' ? `Basic ${basic}` : `Bearer ${token}`;
  return new HostClient(egress, `${url.replace(/\/+$/, '')}/rest/api/1.0`, {
    authorization,
    accept: 'application/json',
  });
}

/** `/projects/KEY/repos/slug`. */
export function repositoryPlace({ project, repo }: Pick<ServerOptions, 'project' | 'repo'>): string {
  return `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repo)}`;
}

interface ServerPage<T> {
  readonly values: readonly T[];
  readonly isLastPage?: boolean;
  readonly nextPageStart?: number | null;
}

const over = 'over';

/** The pages of a collection, from where the import left off, if it has a name to remember that by. */
export async function* serverPages<T>(
  run: ImportRun,
  client: HostClient,
  place: string,
  name?: string,
): AsyncGenerator<readonly T[], void> {
  const join = place.includes('?') ? '&' : '?';
  for (let start = (name && run.cursor(name)) ?? '0'; start !== over; ) {
    const asked = `${place}${join}limit=100&start=${start}`;
    const { body } = await client.get<ServerPage<T>>(asked, { signal: run.signal });
    if (!Array.isArray(body.values)) throw new HostError(200, 'not a list');
    yield body.values;
    const next = body.isLastPage === false ? body.nextPageStart : undefined;
    start = typeof next === 'number' && next > Number(start) ? String(next) : over;
    if (name) await run.advance(name, start);
  }
}
