import type { IncomingMessage, ServerResponse } from 'node:http';
import { GitClient } from '../../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../../support/git-http-backend.ts';
import { type HostCall, type HostReply, type JsonHost, linkedPage, startJsonHost } from '../../support/json-host.ts';

/** A repository with every kind of content on a fake GitHub server. */
export interface HostaWorld extends JsonHost {
  readonly bare: BareRepository;
  readonly shas: { readonly first: string; readonly main: string; readonly feature: string; readonly fork: string };
  /** Intercepts requests before the regular responses. */
  intercept: ((call: HostCall) => HostReply | undefined) | undefined;
}

export const token = 'hosta-secret-token';
const day = (number: number) => `2020-01-${String(number).padStart(2, '0')}T10:00:00Z`;
const ann = { id: 11, login: 'ann' };
const bob = { id: 12, login: 'bob-b' };

/** Serves attachments by path on the web host; requires the token, and redirects some requests. */
function servePages(request: IncomingMessage, response: ServerResponse): boolean {
  const path = request.url ?? '';
  const known: Record<string, () => void> = {
    '/user-attachments/assets/0a1b': () => {
      response.writeHead(302, { location: '/store/0a1b?signed' }).end();
    },
    '/store/0a1b?signed': () => {
      const open = request.headers.authorization === undefined;
      response.writeHead(open ? 200 : 400, { 'content-type': 'image/png' }).end('picture');
    },
    '/o/r/files/7/build.log': () => {
      const let_in = request.headers.authorization === `Bearer ${token}`;
      response.writeHead(let_in ? 200 : 404, { 'content-type': 'text/plain' }).end('it failed');
    },
    '/o/r/files/8/gone.zip': () => response.writeHead(404).end(),
    '/o/r/files/9/secret.zip': () => response.writeHead(302, { location: '/login?return_to=x' }).end(),
    '/o/r/assets/1/large.mov': () => response.writeHead(200, { 'content-length': `${2 ** 30}` }).flushHeaders(),
  };
  if (!Object.hasOwn(known, path)) return false;
  known[path]?.();
  return true;
}

/** Starts the server. Adds the given number of plain issues and pull requests. */
export async function startHosta({ plainIssues = 6, plainPulls = 0 } = {}): Promise<HostaWorld> {
  const bare = await startBareRepository(token, '', servePages);
  const web = new URL(bare.url).origin;
  const client = new GitClient();
  await client.init();
  const first = await client.commit({ 'a.txt': 'one\ntwo\nthree\n' }, 'first');
  await client.git('tag', 'v1');
  const main = await client.commit({ 'a.txt': 'one\n2\nthree\n' }, 'second');
  await client.git('checkout', '-q', '-b', 'feature', first);
  const feature = await client.commit({ 'b.txt': 'feature\n' }, 'feature');
  await client.git('checkout', '-q', '-b', 'of-fork', first);
  const fork = await client.commit({ 'c.txt': 'fork\n' }, 'fork');
  bare.git('fetch', '-q', client.folder, 'main:refs/heads/main', 'refs/tags/*:refs/tags/*');
  bare.git(
    'fetch',
    '-q',
    client.folder,
    'feature:refs/pull/2/head',
    'of-fork:refs/pull/3/head',
    'main:refs/pull/4/head',
  );
  bare.git('fetch', '-q', client.folder, 'feature:refs/heads/feature');
  const plainPullNumbers = Array.from({ length: plainPulls }, (_, at) => 10 + plainIssues + at);
  for (const number of plainPullNumbers) bare.git('update-ref', `refs/pull/${number}/head`, feature);

  const pages = new GitClient();
  await pages.init();
  await pages.commit({ 'Home.md': 'Welcome there' }, 'a page');
  bare.git('init', '-q', '--bare', '-b', 'master', '../copy.wiki.git');
  bare.git('-C', '../copy.wiki.git', 'fetch', '-q', pages.folder, 'main:refs/heads/master');

  const repo = { id: 77 };
  const side = (ref: string, sha: string, of: unknown = repo, user = ann) => ({ ref, sha, repo: of, user });
  const text = (number: number, title: string, rest: object) => ({
    number,
    title,
    body: `Says @ann in \`@code\`, see ${bare.url.replace(/\/\/[^@]*@/, '//').replace(/\.git$/, '')}/issues/1`,
    state: 'open',
    user: ann,
    milestone: null,
    assignee: null,
    created_at: day(1 + ((number - 1) % 28)),
    updated_at: day(2 + ((number - 1) % 28)),
    ...rest,
  });
  const pulls = [
    text(2, 'Open one', { head: side('feature', feature), base: side('main', main), merged_at: null, draft: true }),
    text(3, 'From a fork', {
      head: side('main', fork, null, bob),
      base: side('main', main),
      merged_at: null,
      assignee: bob,
      milestone: { number: 5 },
    }),
    text(4, 'Merged one', {
      state: 'closed',
      head: side('gone', main),
      base: side('main', first),
      merged_at: day(9),
      merge_commit_sha: main,
      user: null,
    }),
    ...plainPullNumbers.map((number) =>
      text(number, `Plain request ${number}`, {
        state: number % 3 === 0 ? 'open' : 'closed',
        head: side(`plain-${number}`, feature),
        base: side('main', main),
        merged_at: number % 3 === 1 ? day(9) : null,
        merge_commit_sha: number % 3 === 1 ? main : null,
      }),
    ),
  ];
  const issues = [
    text(1, 'An issue', {
      assignees: [ann, bob],
      labels: [{ name: 'bug' }, { name: 'a, b' }],
      milestone: { number: 5 },
      user: bob,
    }),
    ...pulls.map((pull) => ({ ...pull, labels: [{ name: 'bug' }], pull_request: { url: 'x' } })),
    text(6, 'x'.repeat(300), {
      body: `![shot](${web}/user-attachments/assets/0a1b) of ${web}/o/r/files/7/build.log. \`${web}/o/r/files/7/build.log\``,
      state: 'closed',
      closed_at: day(8),
      labels: [],
      assignees: [],
    }),
    ...Array.from({ length: plainIssues }, (_, at) => text(10 + at, `Plain ${at}`, { labels: [], assignees: [] })),
  ];
  const note = (id: number, body: string, rest: object = {}) => ({
    event: 'commented',
    id,
    actor: bob,
    body,
    created_at: day(5),
    updated_at: day(6),
    ...rest,
  });
  const timelines: Record<string, unknown[]> = {
    1: [
      note(101, 'hello @bob-b'),
      note(
        102,
        `second [a](${web}/o/r/files/8/gone.zip) [b](${web}/o/r/files/9/secret.zip) ${web}/o/r/assets/1/large.mov`,
      ),
      { event: 'labeled', id: 103, actor: ann, label: { name: 'bug' }, created_at: day(4) },
      { event: 'renamed', id: 104, actor: ann, rename: { from: 'old', to: 'An issue' }, created_at: day(4) },
      { event: 'cross-referenced', actor: ann, created_at: day(4), source: { issue: { id: 900, number: 6 } } },
      { event: 'cross-referenced', actor: ann, created_at: day(4), source: { issue: { id: 901, number: 9999 } } },
      { event: 'milestoned', id: 106, actor: ann, milestone: { title: 'M5' }, created_at: day(4) },
      { event: 'demilestoned', id: 107, actor: ann, milestone: { title: 'unknown' }, created_at: day(4) },
      { event: 'subscribed', id: 105, actor: ann, created_at: day(4) },
    ],
    2: [
      { event: 'reviewed', id: 201, user: bob, body: 'good', state: 'approved', submitted_at: day(6) },
      { event: 'review_requested', id: 202, actor: ann, requested_reviewer: bob, created_at: day(5) },
    ],
    4: [
      { event: 'merged', id: 401, actor: bob, commit_id: main, created_at: day(9) },
      { event: 'closed', id: 402, actor: bob, commit_id: null, created_at: day(9) },
    ],
    6: [{ event: 'closed', id: 601, actor: null, created_at: day(8) }],
  };
  const plainTimeline = (number: number) =>
    number < 10
      ? []
      : [
          note(number * 10_000, `About ${number}`),
          { event: 'labeled', id: number * 10_000 + 1, actor: ann, label: { name: 'idea' }, created_at: day(5) },
        ];
  const diffNotes = [
    { id: 1001, line: 2, start_line: 1, side: 'RIGHT', body: '```suggestion\nx\n```' },
    { id: 1002, line: 1, side: 'RIGHT', body: 'an answer', in_reply_to_id: 1001 },
    { id: 1003, line: null, body: `outdated ![shot](${web}/user-attachments/assets/0a1b)` },
  ].map((rest) => ({
    html_url: 'http://web/o/r/pull/2#discussion',
    path: 'b.txt',
    commit_id: feature,
    original_commit_id: feature,
    diff_hunk: '@@ -0,0 +1 @@\n+feature',
    user: bob,
    created_at: day(6),
    updated_at: day(6),
    ...rest,
  }));
  const lists: Record<string, readonly unknown[]> = {
    labels: [
      { name: 'bug', color: 'FF0000' },
      { name: 'a, b', color: '00ff00' },
      { name: 'idea', color: '0000ff' },
    ],
    milestones: [
      {
        number: 5,
        title: 'M5',
        description: 'five',
        state: 'open',
        due_on: day(20),
        created_at: day(1),
        updated_at: day(2),
      },
      {
        number: 7,
        title: 'M7',
        description: null,
        state: 'closed',
        due_on: null,
        created_at: day(1),
        updated_at: day(2),
      },
    ],
    releases: [
      { id: 1, tag_name: 'v1', name: 'One', body: '', created_at: day(1), published_at: day(2), author: ann },
      { id: 2, tag_name: null, name: 'draft', body: '', created_at: day(1), published_at: null, author: ann },
    ],
    pulls,
    issues,
    'pulls/comments': diffNotes,
    'pulls/2/comments': diffNotes,
    branches: [{ name: 'main', protected: true }],
    collaborators: [
      { ...ann, role_name: 'write' },
      { ...bob, role_name: 'chief' },
    ],
  };
  const about = {
    id: 77,
    name: 'r',
    full_name: 'o/r',
    description: 'From there',
    private: false,
    default_branch: 'main',
    has_wiki: true,
    clone_url: bare.url.replace(/\/\/[^@]*@/, '//'),
  };
  const world: { intercept: HostaWorld['intercept'] } = { intercept: undefined };
  const host = await startJsonHost((call, url) => {
    const changed = world.intercept?.(call);
    if (changed) return changed;
    if (call.headers.authorization !== `Bearer ${token}`) return { status: 401, json: { message: 'Bad credentials' } };
    if (!call.headers['user-agent']) return { status: 403, json: { message: 'no user agent' } };
    if (call.path === '/repositories/77') return { json: about };
    if (call.path.startsWith('/users/')) return { json: { name: `Name of ${call.path.slice(7)}` } };
    if (call.path === '/user') return { json: ann };
    const [, place = ''] = /^\/repos\/o\/r\/(.+)$/.exec(call.path) ?? [];
    const [, number] = /^issues\/(\d+)\/timeline$/.exec(place) ?? [];
    if (number !== undefined) return linkedPage(timelines[number] ?? plainTimeline(Number(number)), call, url);
    if (place === 'branches/main/protection') {
      return { json: { required_pull_request_reviews: {}, allow_force_pushes: { enabled: true } } };
    }
    const list = lists[place] ?? (/^pulls\/\d+\/comments$/.test(place) ? [] : undefined);
    return list && linkedPage(list, call, url);
  });
  return Object.assign(world, host, { bare, shas: { first, main, feature, fork } });
}
