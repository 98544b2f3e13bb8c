import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createGates } from '../../src/access/gates.ts';
import { Role } from '../../src/access/roles.ts';
import type { Route } from '../../src/access/route.ts';
import { routesOf } from '../../src/areas.ts';
import type { ParamMap } from '../../src/platform/http/params.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { OpenPage } from '../support/open-page.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

/** Unique words that occur in all texts of one restricted item and nowhere else. */
const words = {
  issue: 'zorkissue',
  internal: 'zorkinternal',
  snippet: 'zorksnippet',
  personal: 'zorkpersonal',
  epic: 'zorkepic',
  group: 'zorkgroup',
} as const;
type Kind = keyof typeof words;
const kinds = Object.keys(words) as Kind[];

/** Callers, and which of these words they may read. */
const readers: Readonly<Record<string, { readonly level: number; readonly may: readonly Kind[] }>> = {
  anonymous: { level: 0, may: [] },
  outsider: { level: 0, may: [] },
  author: { level: 0, may: ['issue'] },
  assignee: { level: 0, may: ['issue'] },
  guest: { level: Role.guest, may: ['snippet'] },
  reporter: { level: Role.reporter, may: ['issue', 'internal', 'snippet', 'epic'] },
  developer: { level: Role.developer, may: ['issue', 'internal', 'snippet', 'epic'] },
  owner: { level: Role.owner, may: ['issue', 'internal', 'snippet', 'epic'] },
};

/** Values to try for each path parameter. */
type Pools = Readonly<Record<string, readonly (string | number)[]>>;

/** Pages to follow: planning, activity and search. */
const followed =
  /^\/(?:dashboard|search|root|-\/snippets|open(?:\/it)?(?:\/activity)?$|groups\/open\/-\/|open\/it\/-\/(?!tree|blob|raw|archive|settings|graphs))/;
const maxPages = 220;

/** Yields paths with all combinations of parameter values, up to a limit. */
function* filled(path: string, pools: Pools): Generator<string> {
  const [whole, name] = /:([a-z_]+)(?:\([^)]*\))?/.exec(path) ?? [];
  if (whole === undefined || name === undefined) return yield path.replace(/\*$/, 'README.md');
  const own = name === 'id' ? /^\/(\w+)\/:id/.exec(path)?.[1] : undefined;
  for (const value of pools[own ? `${own} ${name}` : name] ?? [1]) {
    yield* filled(path.replace(whole, encodeURIComponent(String(value))), pools);
  }
}

/** Query strings that make a list show as much as possible. */
function queriesOf({ params, path }: Route): string[] {
  const known = params as ParamMap;
  const more = ['scope=all', 'with_counts=true', 'state=all', 'render_html=true'].filter(
    (pair) => (pair.split('=')[0] as string) in known && !path.endsWith('/search'),
  );
  const plain = ['per_page=100', ...more].join('&');
  if (path.endsWith('/search')) {
    const scopes = [
      'issues',
      'notes',
      'snippet_titles',
      'merge_requests',
      'milestones',
      'blobs',
      'commits',
      'projects',
    ];
    return scopes.map((scope) => `scope=${scope}&search=zork&per_page=100`);
  }
  return 'search' in known ? [plain, `${plain}&search=zork`] : [plain];
}

describe('restricted words', () => {
  let server: TestServer;
  let routes: readonly Route[];
  let pools: Pools;
  const tokens = new Map<string, string | null>();
  const logins = new Map<string, string>();

  before(async () => {
    server = await startTestServer('sqlite');
    const { services } = server.running;
    routes = routesOf(services, createGates(services.db, services.externalUrl));
    const group = await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } });
    const json = { name: 'It', path: 'it', namespace_id: group.id, visibility: 'public', initialize_with_readme: true };
    const project = await server.must('POST /projects', { json });
    const at = `/projects/${project.id}`;
    const people = new Map<string, number>();
    for (const [name, { level }] of Object.entries(readers)) {
      if (name === 'anonymous') {
        tokens.set(name, null);
        continue;
      }
      const { id, token, username } = await addUser(server, name);
      tokens.set(name, token);
      logins.set(name, username);
      people.set(name, id);
      if (level > 0)
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: id, access_level: level } });
    }
    const token = tokens.get('author') as string;
    const everybody = [...logins.values()].map((name) => `@${name}`).join(' ');
    const post = (path: string, json: object, as?: string) =>
      server.must(`POST ${path}`, { json, ...(as && { token: as }) });
    const milestone = await post(`${at}/milestones`, { title: 'm1' });
    const secret = await post(
      `${at}/issues`,
      { title: `${words.issue} title`, description: `- [ ] ${words.issue} ${everybody}`, confidential: true },
      token,
    );
    const secretAt = `${at}/issues/${secret.iid}`;
    await server.must(`PUT ${secretAt}`, {
      json: { assignee_ids: [people.get('assignee')], labels: 'l1', milestone_id: milestone.id, weight: 3 },
    });
    const plain = await post(`${at}/issues`, { title: 'plain', labels: 'l1', milestone_id: milestone.id });
    const plainAt = `${at}/issues/${plain.iid}`;
    const secretNote = await post(`${secretAt}/notes`, { body: `${words.issue} said ${everybody} #${plain.iid}` });
    const secretThread = await post(`${secretAt}/discussions`, { body: `${words.issue} thread` });
    const awards = [
      await post(`${secretAt}/award_emoji`, { name: 'heart' }),
      await post(`${secretAt}/notes/${secretNote.id}/award_emoji`, { name: 'star' }),
    ];
    await server.must(`PUT ${secretAt}`, { json: { title: `${words.issue} renamed` } });
    await post(`${secretAt}/add_spent_time`, { duration: '1h', summary: words.issue });
    const link = await post(`${plainAt}/links`, { target_project_id: project.id, target_issue_iid: secret.iid });
    const internal = await post(`${plainAt}/notes`, { body: `${words.internal} ${everybody}`, internal: true });
    const thread = await post(`${plainAt}/discussions`, { body: words.internal, internal: true });
    await post(`${plainAt}/notes`, { body: `see #${secret.iid}+ and &2+s` });
    const snippet = await post(`${at}/snippets`, {
      title: words.snippet,
      description: words.snippet,
      visibility: 'private',
      files: [{ file_path: `${words.snippet}.txt`, content: words.snippet }],
    });
    const snippetNote = await post(`${at}/snippets/${snippet.id}/notes`, { body: `${words.snippet} ${everybody}` });
    const personal = await post('/snippets', {
      title: words.personal,
      visibility: 'private',
      files: [{ file_path: `${words.personal}.txt`, content: words.personal }],
    });
    const epic = await post(`/groups/${group.id}/epics`, { title: 'open epic' });
    const hidden = await post(`/groups/${group.id}/epics`, {
      title: words.epic,
      description: `${words.epic} ${everybody}`,
      confidential: true,
      labels: 'l1',
      parent_id: epic.id,
    });
    await post(`/groups/${group.id}/epics/${hidden.iid}/issues/${secret.id}`, {});
    await post(`/groups/${group.id}/epics/${epic.iid}/related_epics`, {
      target_group_id: group.id,
      target_epic_iid: hidden.iid,
    });
    const epicNote = await post(`/groups/${group.id}/epics/${hidden.id}/notes`, { body: `${words.epic} ${everybody}` });
    const onEpic = await post(`/groups/${group.id}/epics/${epic.id}/notes`, { body: words.internal, internal: true });
    const closed = await server.must('POST /groups', {
      json: { name: 'Closed', path: 'closed', visibility: 'private' },
    });
    const apart = await post(`/groups/${closed.id}/epics`, { title: words.group });
    await post(`/groups/${closed.id}/epics/${apart.iid}/issues/${plain.id}`, {});
    const boards: { id: number }[] = [];
    for (const place of [at, `/groups/${group.id}`]) {
      const board = await post(`${place}/boards`, { name: 'work' });
      boards.push(board);
      const [label] = await server.must(`GET ${place}/labels`);
      await post(`${place}/boards/${board.id}/lists`, { label_id: label.id });
    }
    const actions = [{ action: 'create', file_path: 'new', content: 'new' }];
    const commit_message = `Closes #${secret.iid}, see $${snippet.id} and &${hidden.iid}`;
    await post(`${at}/repository/commits`, { branch: 'topic', start_branch: 'main', commit_message, actions });
    const branches = { source_branch: 'topic', target_branch: 'main' };
    const description = `Closes #${secret.iid}+ and $${snippet.id}+s &${hidden.iid}+`;
    await post(`${at}/merge_requests`, { title: 'mr', description, ...branches, milestone_id: milestone.id });
    await server.running.services.queue.drain();
    const notes = [secretNote, internal, snippetNote, epicNote, onEpic].map(({ id }) => id);
    pools = {
      'projects id': [project.id],
      'groups id': [group.id],
      'users id': [1, people.get('author') as number],
      'snippets id': [snippet.id, personal.id],
      'issues id': [secret.id],
      'todos id': [1],
      issue_iid: [plain.iid, secret.iid],
      merge_request_iid: [1],
      epic_iid: [epic.iid, hidden.iid],
      epic_id: [epic.id, hidden.id],
      note_id: notes,
      discussion_id: [secretThread.id, thread.id],
      snippet_id: [snippet.id, personal.id],
      milestone_id: [milestone.id],
      award_id: awards.map(({ id }) => id),
      board_id: boards.map(({ id }) => id),
      issue_link_id: [link.id],
      user_id: [1, ...people.values()],
      event_id: [1, 2, 3],
      ref: ['main'],
      file_path: ['README.md', `${words.snippet}.txt`],
      name: ['l1'],
      sha: ['topic'],
    };
  });

  /** Words in a response that the reader may not see. */
  const leaked = (reader: string, text: string) =>
    kinds.filter((kind) => text.includes(words[kind]) && !readers[reader]?.may.includes(kind));

  it('are not in API responses', { timeout: 300_000 }, async () => {
    const found: string[] = [];
    const seen = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.includes('/archive'))) {
      for (const path of filled(route.path, pools)) {
        for (const query of queriesOf(route)) {
          const call = `GET ${path}?${query}`;
          const { text } = await server.api(call, { token: rootToken });
          const notified = kinds.filter((kind) => text.includes(words[kind]));
          for (const kind of notified) seen.set(kind, (seen.get(kind) ?? 0) + 1);
          // If root does not find a word there, nobody does, except in lists that depend on the current user.
          if (notified.length === 0 && /^\/(projects|groups)\//.test(path)) continue;
          for (const [reader, token] of tokens) {
            const answer = await server.api(call, { token });
            assert.ok(answer.status < 500, `${call}: ${answer.status}`);
            for (const kind of leaked(reader, answer.text)) found.push(`${reader} reads ${words[kind]}: ${call}`);
          }
        }
      }
    }
    assert.deepEqual(found, []);
    // Otherwise the test would have checked nothing.
    for (const [kind, times] of seen) assert.ok(times >= 5, `${kind}: ${times}`);
  });

  it('are not on web pages or in feeds', { timeout: 300_000 }, async () => {
    const root = new Browser(server);
    await root.signIn('root', rootPassword);
    const feeds = ['/open/it/activity', '/groups/open/-/activity'].map((page) => `${page}?format=atom`);
    const scopes = ['issues', 'milestones', 'merge_requests', 'notes', 'snippet_titles', 'projects'];
    const searches = scopes.flatMap((scope) =>
      ['', '&project=open/it', '&group=open'].map((place) => `/search?search=zork&scope=${scope}${place}`),
    );
    const places = ['/open', '/open/it', '/open/it/-/boards', '/open/it/-/issues?state=all', '/groups/open/-/issues'];
    const waiting = ['/', '/dashboard', '/dashboard/todos', '/dashboard/issues', '/-/snippets', '/root'];
    const known = new Set([...places, ...waiting, ...feeds, ...searches]);
    const seen = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
    // Other users may try every URL that root is shown.
    for (const address of known) {
      const { text } = await root.open(address);
      for (const kind of kinds) if (text.includes(words[kind])) seen.set(kind, (seen.get(kind) ?? 0) + 1);
      for (const [, href = ''] of text.matchAll(/href="(\/[^"#]*)/g)) {
        if (known.size < maxPages && followed.test(href)) known.add(href.replaceAll('&amp;', '&'));
      }
    }
    for (const [kind, times] of seen)
      if (kind !== 'epic' && kind !== 'group') assert.ok(times >= 2, `${kind}: ${times}`);
    const found: string[] = [];
    for (const reader of ['anonymous', 'outsider', 'author', 'guest', 'reporter']) {
      const browser = new Browser(server);
      const login = logins.get(reader);
      if (login) await browser.signIn(login, 'long enough 4 you');
      for (const address of known) {
        const { status, text } = await browser.open(address);
        assert.ok(status < 500, `${address}: ${status}`);
        for (const kind of leaked(reader, text)) {
          if (!address.includes(words[kind])) found.push(`${reader} reads ${words[kind]}: ${address}`);
        }
      }
    }
    assert.deepEqual(found, []);
  });

  const cookieOf = async (reader: string) => {
    const login = logins.get(reader);
    if (!login) return undefined;
    const browser = new Browser(server);
    await browser.signIn(login, 'long enough 4 you');
    return browser.cookie;
  };

  it('are not sent to open pages, nor after access is revoked', async () => {
    const [, plain, secret] = ['', ...(pools.issue_iid ?? [])];
    for (const reader of ['anonymous', 'outsider', 'author', 'guest', 'reporter']) {
      const cookie = await cookieOf(reader);
      const hidden = await OpenPage.open(server, `/open/it/-/issues/${secret}`, cookie);
      const mayKnow = readers[reader]?.may.includes('issue') === true;
      assert.equal(hidden.response.status === 200, mayKnow, reader);
      if (mayKnow) hidden.close();
      else assert.ok(!(await hidden.response.text()).includes(words.issue), reader);

      const page = await OpenPage.open(server, `/open/it/-/issues/${plain}`, cookie);
      await page.heard(/issue-talk/);
      const note = (body: string, internal: boolean) =>
        server.must(`POST /projects/open%2Fit/issues/${plain}/notes`, { json: { body, internal } });
      await note(`${words.internal} while ${reader} looks on`, true);
      await note(`see #${secret}+`, false);
      await server.must(`PUT /projects/open%2Fit/issues/${plain}`, { json: { title: `heard by ${reader}` } });
      await page.heard(new RegExp(`heard by ${reader}`));
      page.close();
      assert.deepEqual(leaked(reader, page.said), [], reader);
      assert.equal(page.said.includes(`while ${reader} looks on`), readers[reader]?.may.includes('internal'), reader);

      const { iid } = await server.must('POST /projects/open%2Fit/issues', { json: { title: 'soon closed' } });
      const closing = await OpenPage.open(server, `/open/it/-/issues/${iid}`, cookie);
      await closing.heard(/issue-talk/);
      const json = { confidential: true, title: `${words.issue} now` };
      await server.must(`PUT /projects/open%2Fit/issues/${iid}`, { json });
      if (reader === 'reporter') await closing.heard(new RegExp(words.issue));
      else await closing.ended();
      closing.close();
      assert.deepEqual(leaked(reader, closing.said), [], reader);
    }
  });

  it('are not in export files', async () => {
    const download = async (call: string, token: string) => {
      const response = await fetch(`${server.url}/api/v4${call}`, { headers: { 'private-token': token } });
      assert.equal(response.status, 200, call);
      return gunzipSync(Buffer.from(await response.arrayBuffer())).toString('latin1');
    };
    const exports = [
      '/projects/open%2Fit/export',
      '/projects/open%2Fit/export_relations',
      '/groups/open/export_relations',
    ];
    for (const reader of ['anonymous', 'outsider', 'author', 'guest', 'reporter', 'developer']) {
      const token = tokens.get(reader) ?? null;
      for (const path of exports) {
        const refused = [await server.api(`POST ${path}`, { token })];
        for (const relation of ['issues', 'epics']) {
          refused.push(await server.api(`GET ${path}/download?relation=${relation}`, { token }));
        }
        assert.ok(
          refused.every(({ status }) => status >= 401 && status <= 404),
          `${reader}: ${path}`,
        );
      }
    }
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    const token = tokens.get('owner') as string;
    for (const path of exports) await server.must(`POST ${path}`, { token });
    await server.running.services.queue.drain();
    const files = new Map<Kind, string>();
    const relations = ['issues', 'snippets', 'merge_requests'].map((name) => `${exports[1]}/download?relation=${name}`);
    const whole = await download(`${exports[0]}/download`, token);
    const parts = [];
    for (const relation of relations) parts.push(await download(relation, token));
    const ofGroup = await download(`${exports[2]}/download?relation=epics`, token);
    files.set('issue', whole + parts.join()).set('epic', ofGroup);
    for (const [kind, text] of files) {
      assert.ok(text.includes(words[kind]), kind);
      assert.deepEqual(leaked('owner', text), []);
    }
  });
});
