import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { refreshProject } from '../../../src/code/upkeep/refresh.ts';
import { forEachEngine } from '../../support/engines.ts';
import type { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { tangledRepository } from './tangled-repository.ts';

let source: GitClient;
before(async () => {
  source = await tangledRepository();
  // A folder changed on both sides of a merge and deleted later.
  await source.git('checkout', '-q', '-b', 'pruned', 'main');
  await source.commit({ 'many/left': 'left\n' }, 'left');
  await source.git('checkout', '-q', '-b', 'right', 'main');
  await source.commit({ 'many/right': 'right\n' }, 'right');
  await source.git('checkout', '-q', 'pruned');
  await source.git('merge', '-q', '-m', 'both', 'right');
  await source.git('rm', '-r', '-q', 'many');
  await source.git('commit', '-q', '-m', 'prune');
  await source.git('checkout', '-q', 'main');
  // A tag and a branch of the same name.
  await source.git('branch', 'same', 'one');
  await source.git('tag', 'same', 'two');
});

const log = async (...args: string[]) => (await source.git('log', '--format=%H', ...args)).split('\n').filter(Boolean);
const dated = (date: string) => date.replace(/(\d{2}:\d{2}:\d{2})/, '$1.000');

forEachEngine((engine) => {
  describe('commit list', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    const path = (query = '', of = project) => `GET /projects/${of.id}/repository/commits${query}`;
    const ids = async (query: string) =>
      (await server.must(path(`?per_page=100&${query}`), { token: null })).map((one: { id: string }) => one.id);

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      project = await addFilledProject(server, owner, 'tangled', source, 'public');
    });

    it('has all fields as printed by git', async () => {
      const commits = await server.must(path('?per_page=100'));
      const format = ['%H', '%h', '%P', '%s', '%B', '%an', '%ae', '%aI', '%cn', '%ce', '%cI'].join('%x00');
      const printed = await source.git('log', '--abbrev=8', '--encoding=UTF-8', `--format=${format}%x01`);
      const expected = printed
        .split('\x01')
        .map((record) => record.replace(/^\n/, '').split('\0'))
        .filter((fields) => fields.length > 1)
        .map(([id, short, parents, title, message, an, ae, aI, cn, ce, cI]) => ({
          id,
          short_id: short,
          created_at: dated(cI ?? ''),
          parent_ids: parents === '' ? [] : parents?.split(' '),
          title,
          message,
          author_name: an,
          author_email: ae,
          authored_date: dated(aI ?? ''),
          committer_name: cn,
          committer_email: ce,
          committed_date: dated(cI ?? ''),
          trailers: {},
          extended_trailers: {},
          web_url: `${server.url}/${owner.user.username}/tangled/-/commit/${id}`,
        }));
      assert.deepEqual(commits, expected);
      assert.deepEqual(Object.keys(commits[0] ?? {}), Object.keys(expected[0] ?? {}));
    });

    const queries: [string, string[]][] = [
      ['', []],
      ['ref_name=one', ['one']],
      ['ref_name=v1.0', ['v1.0']],
      ['ref_name=refs/heads/two', ['two']],
      ['ref_name=main~4', ['main~4']],
      ['ref_name=one..main', ['one..main']],
      ['ref_name=one...two', ['one...two']],
      ['ref_name=main..one', ['main..one']],
      ['ref_name=one..', ['one..main']],
      ['ref_name=other-root...main', ['other-root...main']],
      ['ref_name=4b825dc642cb6eb9a060e54bf8d69288fbee4904..main', ['main']],
      ['ref_name=same', ['same']],
      ['ref_name=heads/same', ['heads/same']],
      ['all=true', ['--all']],
      ['all=true&ref_name=nope', ['--all']],
      ['first_parent=true', ['--first-parent']],
      ['order=topo', ['--topo-order']],
      ['order=topo&ref_name=one...main', ['--topo-order', 'one...main']],
      ['path=src', ['--', 'src']],
      ['path=/src/', ['--', 'src']],
      ['path=src/b.txt', ['--follow', '--', 'src/b.txt']],
      ['path=src/b.txt&follow=false', ['--', 'src/b.txt']],
      ['path=src/b.txt&all=true', ['--all', '--follow', '--', 'src/b.txt']],
      ['path=src/b.txt&all=true&follow=false', ['--all', '--', 'src/b.txt']],
      ['path=src&all=true', ['--all', '--', 'src']],
      ['path=src/a.txt', ['--follow', '--', 'src/a.txt']],
      ['path=one.txt&first_parent=true', ['--first-parent', '--', 'one.txt']],
      ['path=many&ref_name=one..main', ['one..main', '--', 'many']],
      ['path=nope', ['--', 'nope']],
      ['path=many&ref_name=pruned', ['pruned', '--', 'many']],
      ['path=many/left&ref_name=pruned', ['--follow', 'pruned', '--', 'many/left']],
      ['path=*', ['--', ':(literal)*']],
      ['path=.', []],
      ['path=.&author=bob', ['--author=bob']],
      ['author=bob', ['--author=bob']],
      ['author=Bob.B', ['--author=Bob.B']],
      ['author=bob@example.com&path=two.txt', ['--author=bob@example.com', '--', 'two.txt']],
      ['author=nobody', ['--author=nobody']],
    ];
    for (const [query, args] of queries) {
      it(`returns for ${query || 'no parameters'} the output of git log ${args.join(' ')}`, async () => {
        assert.deepEqual(await ids(query), await log(...args));
      });
    }

    it('uses the default branch even if a tag has the same name', async () => {
      const shadowed = await addFilledProject(server, owner, 'shadowed', source);
      await server.must(`PUT /projects/${shadowed.id}?default_branch=same`);
      const first = async (query: string) => (await server.must(path(query, shadowed)))[0].id;
      const [branch, tag] = [await source.git('rev-parse', 'one'), await source.git('rev-parse', 'two')];
      assert.deepEqual([await first(''), await first('?ref_name=HEAD')], [branch, branch]);
      assert.deepEqual([await first('?ref_name=same'), await first('?ref_name=refs/heads/same')], [tag, branch]);
    });

    it('filters by dates inclusively', async () => {
      const dates = (await source.git('log', '--format=%ct', 'main')).split('\n').map(Number);
      const [from = 0, to = 0] = [dates[15], dates[5]];
      const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
      const expected = await log(`--since=${from}`, `--until=${to}`);
      assert.ok(expected.length >= 10);
      assert.deepEqual(await ids(`since=${iso(from)}&until=${iso(to)}`), expected);
      assert.deepEqual(await ids(`since=${iso(from)}&until=${iso(to)}&path=./`), expected);
      assert.deepEqual(
        await ids(`since=${iso(from)}&until=${iso(to)}&path=counter.txt`),
        await log(`--since=${from}`, `--until=${to}`, '--', 'counter.txt'),
      );
      assert.equal((await ids(`since=${iso(from + 0.5)}`)).length, (await log(`--since=${from + 1}`)).length);
    });

    it('paginates without totals, with a possibly empty last page', async () => {
      const all = await log('main');
      const walked: string[] = [];
      for (let page = 1; ; page++) {
        const answer = await server.api(path(`?per_page=7&page=${page}`));
        assert.equal(answer.headers.get('x-total'), null);
        assert.equal(answer.headers.get('x-total-pages'), null);
        assert.doesNotMatch(answer.headers.get('link') ?? '', /rel="last"/);
        walked.push(...answer.body.map((one: { id: string }) => one.id));
        const full = answer.body.length === 7;
        assert.equal(answer.headers.get('x-next-page'), full ? `${page + 1}` : '');
        assert.equal(/rel="next"/.test(answer.headers.get('link') ?? ''), full);
        if (!full) break;
      }
      assert.deepEqual(walked, all);
      const { headers } = await server.api(path('?per_page=1'));
      assert.match(headers.get('link') ?? '', /order=default&page=2&per_page=1&trailers=false/);
      assert.deepEqual(await server.must(path('?page=9999999999')), []);
    });

    it('links to the current path of the project', async () => {
      const [first] = await server.must(path('?per_page=1'));
      await server.must(`PUT /projects/${project.id}`, { json: { path: 'moved' } });
      const [moved] = await server.must(path('?per_page=1'));
      assert.equal(moved.web_url, first.web_url.replace('/tangled/', '/moved/'));
      await server.must(`PUT /projects/${project.id}`, { json: { path: 'tangled' } });
      assert.deepEqual(await server.must(path('?per_page=1')), [first]);
    });

    it('paginates through a renamed file consistently', async () => {
      const all = await log('--follow', '--', 'src/b.txt');
      const walked: string[] = [];
      for (let page = 1; page <= Math.ceil(all.length / 4); page++) {
        const found = await server.must(path(`?path=src/b.txt&per_page=4&page=${page}`));
        walked.push(...found.map((one: { id: string }) => one.id));
      }
      assert.deepEqual(walked, all);
      assert.ok(all.length > 9);
    });

    it('uses the path index shortly after a push', async () => {
      const { git } = server.running.services;
      // Without background jobs, because of two processes that write an index one gives way.
      await server.undisturbed(async () => {
        await refreshProject(server.running.services, project.id);
        assert.ok(existsSync(join(git.repository(project.id).path, 'objects/info/commit-graphs/commit-graph-chain')));
        const started = () => git.counters().processes.work.started;
        const expected = await log('--follow', '--', 'counter.txt');
        assert.deepEqual(await ids('path=counter.txt'), expected);
        const before = started();
        assert.deepEqual(await ids('path=counter.txt'), expected);
        assert.equal(started(), before, 'the result is cached');
      });
    });

    it('returns line counts with with_stats', async () => {
      const commits = await server.must(path('?with_stats=true&per_page=100&all=true'));
      for (const { id, stats, parent_ids } of commits) {
        const printed = await source.git(
          'diff',
          '--shortstat',
          '-M',
          parent_ids[0] ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
          id,
        );
        const additions = Number(/(\d+) insertion/.exec(printed)?.[1] ?? 0);
        const deletions = Number(/(\d+) deletion/.exec(printed)?.[1] ?? 0);
        assert.deepEqual(stats, { additions, deletions, total: additions + deletions }, id);
      }
    });

    it('returns trailers with trailers', async () => {
      const commits = await server.must(path('?trailers=true&per_page=100&path=src/b.txt'));
      const one = commits.find(({ title }: { title: string }) => title === 'change b');
      assert.deepEqual(one.trailers, {
        'Signed-off-by': 'Ann <ann@example.com>',
        Changelog: 'changed',
        changelog: 'twice',
      });
      assert.deepEqual(one.extended_trailers.Changelog, ['added', 'changed']);
    });

    const refused: [string, number, unknown][] = [
      ['?ref_name=-x', 400, { message: 'ref_name is invalid' }],
      ['?ref_name=a%20b', 400, { message: 'ref_name is invalid' }],
      ['?since=yesterday', 400, { error: 'since is invalid' }],
      ['?author=%5B', 400, { error: 'author is invalid' }],
      ['?author=x%5C&path=src', 400, { error: 'author is invalid' }],
      ['?order=random', 400, { error: 'order does not have a valid value' }],
      ['?per_page=0', 400, { error: 'per_page has a value not allowed' }],
      ['?ref_name=nope', 200, []],
      ['?ref_name=nope..main', 200, []],
      ['?ref_name=main:src', 200, []],
      ['?ref_name=:/root', 200, []],
      ['?path=../..', 200, []],
      ['?path=-rf', 200, []],
    ];
    for (const [query, status, body] of refused) {
      it(`answers ${query} with ${status}`, async () => {
        const answer = await server.api(path(query));
        assert.deepEqual([answer.status, answer.body], [status, body]);
      });
    }

    it('is restricted to users who can read the code', async () => {
      const hidden = await addProject(server, owner, `hidden-${engine}`);
      const guest = await addPerson(server, 'guest');
      await addMember(server, hidden, guest, Role.guest);
      const status = async (token: string | null) => (await server.api(path('', hidden), { token })).status;
      assert.deepEqual([await status(owner.token), await status(guest.token), await status(null)], [200, 403, 404]);
      assert.deepEqual(await server.must(path('', hidden)), []);
      await server.must(`PUT /projects/${hidden.id}`, { json: { repository_access_level: 'disabled' } });
      const off = await server.api(path('', hidden), { token: owner.token });
      assert.deepEqual([off.status, off.body], [404, { message: '404 Repository Not Found' }]);
    });

    it('needs the same number of queries for any length', async () => {
      const count = (query: string) => server.queriesOf(() => server.must(path(query), { token: owner.token }));
      const one = await count('?per_page=1');
      assert.equal(await count('?per_page=3&with_stats=true'), one);
      assert.equal(await count('?per_page=100'), one);
    });
  });
});
