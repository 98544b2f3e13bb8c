import { GitClient } from '../../support/git-client.ts';
import { startBareRepository } from '../../support/git-http-backend.ts';
import { type HostCall, type HostReply, type JsonHost, startJsonHost } from '../../support/json-host.ts';

/** A repository on a fake Bitbucket Cloud server. */
export interface HostbWorld extends JsonHost {
  readonly shas: { readonly main: string; readonly feature: string };
  /** Intercepts requests before the regular responses. */
  intercept: ((call: HostCall) => HostReply | undefined) | undefined;
}

export const secret = 'cloud-secret-token';
const time = (second: number) => `2020-02-03T04:05:${String(second % 60).padStart(2, '0')}.000000+00:00`;
const pat = { uuid: '{1}', account_id: '557058:1', nickname: 'pat' };
export const kim = { uuid: '{2}', account_id: '557058:2', nickname: 'kim' };

interface Size {
  readonly plainIssues?: number;
  readonly plainPulls?: number;
  /** Maximum page size. */
  readonly perPage?: number;
  /** Includes invalid records. */
  readonly odd?: boolean;
}

/** Starts the server. Adds the given number of plain issues and pull requests. */
export async function startHostb({
  plainIssues = 0,
  plainPulls = 0,
  perPage = 1,
  odd = false,
}: Size = {}): Promise<HostbWorld> {
  const bare = await startBareRepository('x-bitbucket-api-token-auth', secret);
  const client = new GitClient();
  await client.init('trunk');
  const main = await client.commit({ 'a.txt': 'one\n' }, 'first');
  await client.git('checkout', '-q', '-b', 'feature');
  const feature = await client.commit({ 'b.txt': 'two\n' }, 'second');
  bare.git('fetch', '-q', client.folder, 'trunk:refs/heads/trunk', 'feature:refs/heads/feature');
  const address = bare.url.replace(/\/\/[^@]*@/, '//');
  const side = (name: string, hash: string, uuid = '{r}') => ({
    branch: { name },
    commit: { hash: hash.slice(0, 12) },
    repository: { uuid },
  });
  const pull = (id: number, state: string, uuid?: string) => ({
    ...{ id, state, title: `Pull ${id}`, description: 'words', author: pat },
    source: side('feature', feature, uuid),
    destination: side('trunk', main),
    created_on: time(id),
    updated_on: time(id),
  });
  const comment = (id: number, raw: string | null, second: number, rest: object = {}) => ({
    ...{ id, content: { raw }, user: pat, created_on: time(second) },
    ...rest,
  });
  const issue = (id: number, title: string, rest: object) => ({
    ...{ id, title, state: 'new', kind: 'bug', reporter: pat, created_on: time(id) },
    ...rest,
  });
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => 100 + at);
  const states = ['OPEN', 'MERGED', 'DECLINED'];
  const lists: Record<string, readonly unknown[]> = {
    '/pullrequests': [
      { ...pull(1, 'OPEN'), reviewers: [kim] },
      { ...pull(2, 'SUPERSEDED'), closed_by: kim },
      pull(3, 'OPEN', '{fork}'),
      ...(odd ? [{ ...pull(4, 'OPEN'), title: {} }] : []),
      { ...pull(5, 'MERGED'), closed_by: kim, merge_commit: { hash: feature.slice(0, 12) }, author: kim },
      ...numbers(plainPulls).map((id) => ({ ...pull(id, states[id % 3] ?? ''), source: side(`plain-${id}`, feature) })),
    ],
    '/pullrequests/1/comments': [
      comment(7, `look @{557058:2}, ${address.replace(/\.git$/, '')}/issues/1`, 1, {
        inline: { path: 'b.txt', to: 1 },
      }),
      comment(8, 'yes', 2, { parent: { id: 7 } }),
      comment(9, 'gone', 3, { deleted: true }),
      ...(odd ? [{ ...comment(10, '', 3), content: [] }] : []),
      comment(11, 'nowhere', 4, { inline: { path: 'b.txt' } }),
    ],
    '/issues': [
      issue(1, 'Bug', { content: { raw: 'it @breaks' }, milestone: { name: 'First' } }),
      issue(2, 'Done', { state: 'wontfix', kind: 'task', reporter: null, edited_on: time(5) }),
      issue(3, 'Planned', { milestone: { name: 'First' }, reporter: kim }),
      ...(odd ? ['an issue'] : []),
      ...numbers(plainIssues).map((id) => issue(id, `Plain ${id}`, { milestone: { name: `M${id % 5}` } })),
    ],
    '/issues/1/comments': [comment(1, 'same here', 4), comment(2, null, 5)],
  };
  const plain = (place: string): readonly unknown[] | undefined => {
    const [, kind = '', id = ''] = /^\/(issues|pullrequests)\/(\d+)\/comments$/.exec(place) ?? [];
    if (kind === '') return undefined;
    const first = Number(id) * 100 + (kind === 'issues' ? 1_000_000 : 0);
    return Number(id) < 100 ? [] : [comment(first, `About ${id}`, 6), comment(first + 1, 'And more', 7)];
  };
  const world: { intercept: HostbWorld['intercept'] } = { intercept: undefined };
  const host = await startJsonHost((call, url) => {
    const changed = world.intercept?.(call);
    if (changed) return changed;
    const { path, query, headers } = call;
    const expected = `Basic ${Buffer.from(`pat@example.com:${secret}`).toString('base64')}`;
    if (headers.authorization !== expected) return { status: 401, json: { type: 'error', error: { message: 'no' } } };
    if (path === '/user') return { json: pat };
    if (path === '/workspaces/ws/members') return { json: { values: [{ user: pat }, { user: kim }] } };
    const [, place] = /^\/repositories\/ws\/slug(.*)$/.exec(path) ?? [];
    if (place === '') {
      const about = { name: 'slug', full_name: 'ws/slug', is_private: true, has_issues: true };
      const links = { clone: [{ name: 'https', href: bare.url.replace(/\/\/[^@]*@/, '//pat@') }] };
      return { json: { ...about, mainbranch: { name: 'trunk' }, links } };
    }
    const list = lists[place ?? ''] ?? plain(place ?? '');
    if (!list) return { status: 404, json: { type: 'error', error: { message: 'not found' } } };
    const page = Number(query.get('page') ?? 1);
    const most = Math.min(Number(query.get('pagelen') ?? 10), perPage);
    const next = page * most < list.length ? { next: `${url}${path}?pagelen=${most}&page=${page + 1}` } : {};
    return { json: { values: list.slice((page - 1) * most, page * most), ...next } };
  });
  return Object.assign(world, host, { shas: { main, feature } });
}
