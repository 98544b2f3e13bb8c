import { GitClient } from '../../support/git-client.ts';
import { startBareRepository } from '../../support/git-http-backend.ts';
import { type HostCall, type HostReply, type JsonHost, startJsonHost } from '../../support/json-host.ts';

/** A repository on a fake Bitbucket server. */
export interface HostbServerWorld extends JsonHost {
  readonly shas: { readonly main: string; readonly feature: string };
  /** Accepted authorization scheme. */
  scheme: 'Basic' | 'Bearer';
  /** Intercepts requests before the regular responses. */
  intercept: ((call: HostCall) => HostReply | undefined) | undefined;
}

export const secret = 'server-secret/token';
const at = Date.UTC(2020, 0, 5);
const kim = { name: 'kim', slug: 'kim', displayName: 'Kim', emailAddress: 'kim@example.com' };
const lee = { name: 'lee', slug: 'lee', displayName: 'Lee' };

interface Size {
  readonly plainPulls?: number;
  /** Maximum page size. */
  readonly perPage?: number;
  /** Includes invalid records. */
  readonly odd?: boolean;
}

/** Starts the server. Adds the given number of plain pull requests. */
export async function startHostbServer({
  plainPulls = 0,
  perPage = 2,
  odd = false,
}: Size = {}): Promise<HostbServerWorld> {
  const bare = await startBareRepository('kim', secret);
  const client = new GitClient();
  await client.init();
  await client.commit({ 'a.txt': 'one\n' }, 'first');
  const main = await client.git('rev-parse', 'HEAD');
  await client.git('checkout', '-q', '-b', 'feature');
  const feature = await client.commit({ 'b.txt': 'two\n' }, 'second');
  bare.git('fetch', '-q', client.folder, 'main:refs/heads/main', 'feature:refs/heads/feature');
  const pull = (id: number, state: string) => ({
    id,
    title: `Pull ${id}`,
    description: 'for @lee',
    state,
    createdDate: at + id,
    updatedDate: at + 100 + id,
    fromRef: { id: 'refs/heads/feature', latestCommit: feature },
    toRef: { id: 'refs/heads/main', latestCommit: main },
    author: { user: kim },
    reviewers: [{ user: lee }],
  });
  const numbers = Array.from({ length: plainPulls }, (_, index) => 100 + index);
  const states = ['OPEN', 'MERGED', 'DECLINED'];
  const pulls = [
    pull(1, 'OPEN'),
    pull(2, 'MERGED'),
    pull(3, 'DECLINED'),
    ...(odd ? [{ ...pull(4, 'OPEN'), createdDate: 9e15 }] : []),
    ...numbers.map((id) => ({
      ...pull(id, states[id % 3] ?? ''),
      fromRef: { id: `refs/heads/plain-${id}`, latestCommit: feature },
    })),
  ];
  const comment = (id: number, text: string, comments: unknown[] = []) => ({
    ...{ id, text, comments },
    author: lee,
    createdDate: at + id,
  });
  const act = (id: number, action: unknown, rest: object = {}) => ({ id, action, createdDate: at, user: lee, ...rest });
  const activities: Record<string, unknown[]> = {
    1: [
      act(1, 'COMMENTED', {
        comment: comment(11, 'hi', [...(odd ? [{ id: 14, text: {} }] : []), comment(12, 'answer')]),
      }),
      act(2, 'COMMENTED', {
        comment: comment(13, 'on a line'),
        commentAnchor: { path: 'b.txt', line: 1, lineType: 'ADDED', fromHash: main, toHash: feature },
        diff: { hunks: [{ segments: [{ type: 'ADDED', lines: [{ source: 0, destination: 1, commentIds: [13] }] }] }] },
      }),
      act(3, 'APPROVED'),
      act(4, 'RESCOPED'),
      ...(odd ? [act(7, {})] : []),
    ],
    2: [act(5, 'MERGED', { commit: { id: main, committer: kim } })],
    3: [act(6, 'DECLINED')],
  };
  const plain = (number: number) => [
    act(number * 100, 'COMMENTED', {
      comment: comment(number * 100, `About ${number}`, [comment(number * 100 + 1, 'So')]),
    }),
    act(number * 100 + 2, 'APPROVED'),
  ];
  const paged = (list: readonly unknown[], { query }: HostCall) => {
    const start = Number(query.get('start'));
    const end = start + Math.min(Number(query.get('limit')), perPage);
    const last = end >= list.length;
    return { json: { values: list.slice(start, end), isLastPage: last, nextPageStart: last ? null : end } };
  };
  const repo = {
    slug: 'repo',
    name: 'Repo',
    description: 'there',
    project: { key: '~KEY', public: false },
    links: {
      clone: [
        { name: 'ssh', href: 'ssh://x' },
        { name: 'http', href: bare.url.replace(/\/\/[^@]*@/, '//') },
      ],
      self: [{ href: 'http://there/projects/KEY/repos/repo/browse' }],
    },
  };
  const world: Pick<HostbServerWorld, 'intercept' | 'scheme'> = { intercept: undefined, scheme: 'Basic' };
  const host = await startJsonHost((call) => {
    const changed = world.intercept?.(call);
    if (changed) return changed;
    const basic = `Basic ${Buffer.from(`kim:${secret}`).toString('base64')}`;
    const expected = world.scheme === 'Basic' ? basic : `Bearer ${secret}`;
    if (call.headers.authorization !== expected) return { status: 401, json: { errors: [{ message: 'who are you' }] } };
    const [, place] = /^\/ctx\/rest\/api\/1\.0\/projects\/~KEY\/repos\/repo(.*)$/.exec(call.path) ?? [];
    if (place === '') return { json: repo };
    if (place === '/pull-requests') return paged(pulls, call);
    const [, number] = /^\/pull-requests\/(\d+)\/activities$/.exec(place ?? '') ?? [];
    if (number !== undefined) return paged(activities[number] ?? plain(Number(number)), call);
    return { status: 404, json: { errors: [{ message: 'Repository does not exist' }] } };
  });
  return Object.assign(world, host, { shas: { main, feature } });
}

/** Import parameters for it. */
export const sentFor = ({ url }: JsonHost, over: Record<string, unknown> = {}) => ({
  hostb_server_url: `${url}/ctx`,
  hostb_server_username: 'kim',
  personal_access_token: secret,
  hostb_server_project: '~KEY',
  hostb_server_repo: 'repo',
  ...over,
});
