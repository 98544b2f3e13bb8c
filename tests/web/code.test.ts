import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readDiff } from '../../src/web/code/diff-lines.ts';
import { languageOf, splitLines } from '../../src/web/frame/highlight.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile, hostileName } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('highlighted code', () => {
  it('is split into lines of balanced HTML', () => {
    assert.deepEqual(splitLines('a <span class="x">b\nc</span> d'), [
      'a <span class="x">b</span>',
      '<span class="x">c</span> d',
    ]);
  });

  it('detects the language by file name', () => {
    assert.deepEqual(['a/b.ts', 'Dockerfile', 'x.mjs', 'LICENSE'].map(languageOf), [
      'ts',
      'dockerfile',
      'javascript',
      '',
    ]);
  });
});

describe('diff parser', () => {
  it('numbers lines on both sides', () => {
    const lines = readDiff('@@ -3,2 +3,2 @@ f\n same\n-old\n+new\n\\ No newline at end of file\n');
    assert.deepEqual(
      lines.map(({ kind, old, new: now }) => [kind, old, now]),
      [
        ['hunk', undefined, undefined],
        ['same', 3, 3],
        ['del', 4, undefined],
        ['add', undefined, 4],
        ['note', undefined, undefined],
      ],
    );
  });
});

forEachEngine((engine) => {
  describe('code pages', () => {
    let server: TestServer;
    let browser: Browser;
    const stranger = () => new Browser(server);
    let sha = '';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /groups', { json: { name: 'Team', path: 'team', visibility: 'public' } });
      await server.must('POST /groups', { json: { name: 'Hidden', path: 'hidden', visibility: 'private' } });
      const space = async (path: string) => (await server.must(`GET /namespaces/${path}`)).id;
      await server.must('POST /projects', {
        json: { name: 'code', namespace_id: await space('team'), visibility: 'public', description: hostile.element },
      });
      for (const path of ['secret', 'empty']) {
        await server.must('POST /projects', {
          json: { name: path, namespace_id: await space('hidden'), visibility: 'private' },
        });
      }
      const commit = async (
        project: string,
        commit_message: string,
        branch: string,
        files: Record<string, string>,
        start?: string,
      ) =>
        server.must(`POST /projects/${encodeURIComponent(project)}/repository/commits`, {
          json: {
            branch,
            commit_message,
            ...(start && { start_branch: start }),
            actions: Object.entries(files).map(([file_path, content]) => ({
              action: 'create',
              file_path,
              content,
              encoding: file_path.endsWith('.bin') ? 'base64' : 'text',
            })),
          },
        });
      await commit('hidden/secret', 'hidden commit', 'main', { 'a.txt': 'classified' });
      await commit('team/code', `First\n\n${hostile.comment}`, 'main', {
        'README.md': `# Welcome\n\n${hostile.markdown}\n\n${hostile.element}\n`,
        'src/main.ts': 'const answer: number = 42; // "<b>"\nexport default answer;\n',
        'src/zero.bin': 'AAECAwA=',
        [`src/${hostileName}`]: hostile.element,
        'big.txt': 'x'.repeat(1_100_000),
        'line.js': `var a = "${'y'.repeat(200_000)}";`,
        'picture.png': 'none',
      });
      const links = '[a](next.md) ![b](../c.png) [d](/src/main.ts)';
      const texts = { 'docs/more.md': `more ${links}`, 'docs/README.md': links };
      sha = (await commit('team/code', hostile.attribute, 'feature/nested', texts, 'main')).id;
      await server.must('POST /projects/team%2Fcode/repository/tags', {
        json: { tag_name: 'v1', ref: 'main', message: hostile.element },
      });
      await server.must('POST /projects/team%2Fcode/releases', {
        json: { tag_name: 'v1', name: hostile.attribute, description: hostile.markdown },
      });
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    it('show files, README and clone URLs of a project, to visitors too', async () => {
      for (const who of [browser, stranger()]) {
        const text = await openPage('/team/code', who);
        assert.match(text, /marker1 &lt;img/);
        assert.match(text, /<h1[^>]*>.*Welcome/);
        assert.ok(text.includes(`value="${server.url}/team/code.git"`));
        assert.match(text, /href="\/team\/code\/-\/tree\/main\/src"/);
      }
    });

    it('draw the commit graph of one or all branches, with refs', async () => {
      const nested = await openPage('/team/code/-/network/feature/nested');
      assert.match(nested, /<ol class="network">/);
      assert.match(nested, /href="\/team\/code\/-\/commits\/feature\/nested">feature\/nested<\/a><a class="main"/);
      assert.match(nested, /href="\/team\/code\/-\/commits\/v1">v1<\/a>/);
      assert.equal(nested.match(/<circle/g)?.length, 2);
      const only = await openPage('/team/code/-/network');
      assert.ok(!only.includes(`/-/commit/${sha}`));
      assert.ok((await openPage('/team/code/-/network?all=1')).includes(`/-/commit/${sha}`));
      assert.equal((await browser.open('/team/code/-/network/nowhere')).status, 404);
      assert.notEqual((await stranger().open('/hidden/secret/-/network')).status, 200);
    });

    it('resolve relative links at the same branch', async () => {
      for (const page of ['blob/feature/nested/docs/more.md', 'tree/feature/nested/docs']) {
        const text = await openPage(`/team/code/-/${page}`);
        for (const address of [
          'blob/feature/nested/docs/next.md',
          'raw/feature/nested/c.png',
          'blob/feature/nested/src/main.ts',
        ]) {
          assert.ok(text.includes(`="/team/code/-/${address}"`), `${address} on ${page}`);
        }
      }
    });

    it('escape user content on every kind of page', async () => {
      const name = encodeURIComponent(hostileName);
      const pages = [
        ['/team/code/-/tree/main/src', 'main.ts'],
        ['/team/code/-/tree/feature/nested/docs', 'more.md'],
        [`/team/code/-/blob/main/src/${name}`, 'marker1'],
        ['/team/code/-/blob/main/README.md', 'marker3'],
        ['/team/code/-/blob/main/README.md?plain=1', 'marker3'],
        ['/team/code/-/blame/main/README.md', 'marker3'],
        [`/team/code/-/blame/main/src/${name}`, 'marker1'],
        ['/team/code/-/commits/main', 'First'],
        ['/team/code/-/commits/feature/nested/docs/more.md', 'marker2'],
        [`/team/code/-/commit/${sha}`, 'marker2'],
        ['/team/code/-/compare/main...feature/nested', 'marker2'],
        ['/team/code/-/branches', 'feature/nested'],
        ['/team/code/-/tags', 'marker1'],
        ['/team/code/-/tags/v1', 'marker1'],
        ['/team/code/-/releases', 'marker2'],
        ['/team/code/-/releases/v1', 'marker3'],
        ['/team/code/-/find_file/main?file=zero', 'zero.bin'],
        ['/team/code/-/project_members/all', 'Administrator'],
        ['/team', 'code'],
        ['/root', 'Administrator'],
      ] as const;
      for (const [path, expected] of pages) assert.ok((await openPage(path)).includes(expected), path);
      const first = await server.must('GET /projects/team%2Fcode/repository/commits/main');
      assert.ok((await openPage(`/team/code/-/commit/${first.id}`)).includes('marker4'));
    });

    it('show last commits of a directory, at once or in a frame', async () => {
      const path = '/team/code/-/tree/feature/nested/docs';
      const { text } = await browser.open(path);
      assert.match(text, /<turbo-frame id="entries"[^>]*( src="[^"]*\?changes=1">|[\s\S]*class="change")/);
      const page = await browser.open(`${path}?changes=1`);
      assert.equal(page.status, 200);
      assertHarmless(page.text, path);
      const [, entry = ''] = /more\.md<\/a>(.*?)<\/li>/s.exec(page.text) ?? [];
      assert.match(entry, new RegExp(`class="change" href="/team/code/-/commit/${sha}".*<time`));
    });

    it('highlight code with linked lines', async () => {
      const text = await openPage('/team/code/-/blob/main/src/main.ts');
      assert.match(
        text,
        /id="L1"><td class="num"><a href="#L1">1<\/a><\/td><td><span class="hljs-keyword">const<\/span>/,
      );
      assert.match(text, /&quot;&lt;b&gt;&quot;/);
    });

    it('show the history of a file, and follow renames on request', async () => {
      const url = '/projects/team%2Fcode/repository/commits';
      const moved = { action: 'move', file_path: 'docs/now.md', previous_path: 'docs/more.md' };
      const move = { branch: 'feature/nested', commit_message: 'Move it', actions: [moved] };
      await server.must(`POST ${url}`, { json: move });
      const address = '/team/code/-/commits/feature/nested/docs/now.md';
      const now = await openPage(address);
      assert.match(now, new RegExp(`<turbo-frame id="history" target="_top" src="${address}\\?follow=1" data-keep>`));
      assert.match(now, /Move it[\s\S]*Follow renames/);
      assert.ok(!now.includes(sha));
      const followed = await openPage(`${address}?follow=1`);
      assert.match(followed, new RegExp(`<turbo-frame id="history" target="_top">[\\s\\S]*Move it[\\s\\S]*${sha}`));
      assert.ok(!followed.includes('Follow renames'));
      assert.ok(!(await openPage('/team/code/-/commits/feature/nested/docs')).includes('Follow renames'));
      const file = await openPage('/team/code/-/blob/feature/nested/docs/now.md');
      assert.match(file, /<header><div class="row"><a class="main" href="[^"]*"><strong>Move it/);
    });

    it('show code owners of a file', async () => {
      const owners = '* @team\n[Docs] @@maintainer\n*.md docs@example.com @"><x-evil>\n!gen/\n';
      await server.must('POST /projects/team%2Fcode/repository/files/CODEOWNERS', {
        json: { branch: 'owned', start_branch: 'main', content: owners, commit_message: 'Own it' },
      });
      const line = (text: string) => /<p class="owners row">.*?<\/p>/.exec(text)?.[0] ?? '';
      const readme = line(await openPage('/team/code/-/blob/owned/README.md', stranger()));
      assert.match(readme, /href="\/team">@team<[\s\S]*docs@example\.com/);
      assert.equal(line(await openPage('/team/code/-/blob/main/README.md')), '');
      const call = '/projects/team%2Fcode/repository/files/README.md/code_owners';
      const [all, docs] = await server.must(`GET ${call}?ref=owned`, { token: null });
      assert.deepEqual(
        [all, docs.section, docs.emails],
        [
          {
            section: 'codeowners',
            pattern: '*',
            optional: false,
            approvals_required: 1,
            users_and_groups: ['team'],
            emails: [],
            roles: [],
          },
          'Docs',
          ['docs@example.com'],
        ],
      );
      assert.deepEqual(await server.must(`GET ${call}?ref=main`), []);
      assert.equal((await server.api(`GET ${call}?ref=none`)).status, 404);
      const hidden = '/projects/hidden%2Fsecret/repository/files/a.txt/code_owners';
      assert.equal((await server.api(`GET ${hidden}`, { token: null })).status, 404);
    });

    it('show the contribution calendar and group activity', async () => {
      const person = await openPage('/root', stranger());
      assert.match(
        person,
        /<figure class="calendar"><figcaption>\d+ contributions? in the last year[\s\S]*class="day4"/,
      );
      assert.ok(Buffer.byteLength(person) < 120_000);
      const activity = await openPage('/groups/team/-/activity', stranger());
      assert.match(activity, /href="\/team\/code\/-\/tree\/main"/);
      assert.doesNotMatch(activity, /secret/);
      const feed = await stranger().open('/groups/team/-/activity?format=atom');
      assert.match(feed.text, /<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"><title>.*: activity/);
      assert.equal((await stranger().open('/groups/hidden/-/activity')).status, 404);
    });

    it('explain why a file cannot be shown', async () => {
      assert.match(await openPage('/team/code/-/blob/main/big.txt'), /too large to display \(1\.0 MiB\)/);
      assert.match(await openPage('/team/code/-/blob/main/src/zero.bin'), /binary file/);
      assert.match(
        await openPage('/team/code/-/blob/main/picture.png'),
        /<img src="\/team\/code\/-\/raw\/main\/picture.png"/,
      );
      assert.match(await openPage('/team/code/-/blob/main/line.js'), /yyyy/);
      const long = Array.from({ length: 2_500 }, (_, at) => `line ${at + 1}`).join('\n');
      const { id } = await server.must('POST /projects/team%2Fcode/repository/commits', {
        json: {
          branch: 'much',
          start_branch: 'main',
          commit_message: 'Much at once',
          actions: [{ action: 'create', file_path: 'long.txt', content: long }],
        },
      });
      const held = await openPage(`/team/code/-/commit/${id}`);
      assert.match(
        held,
        /Too large to display\. <a href="([^"]+)">Show only this file<\/a>\. <a href="[^"]+">Open the file/,
      );
      const alone = await openPage(`/team/code/-/commit/${id}?only=long.txt`);
      assert.match(alone, /line 2400[\s\S]*/);
      assert.match(alone, />All files</);
    });

    it('show instructions for an empty project', async () => {
      const text = await openPage('/hidden/empty');
      assert.ok(text.includes(`git remote add origin ${server.url}/hidden/empty.git`));
      assert.match(text, /git push --set-upstream origin main/);
      assert.doesNotMatch(text, />Contributors</);
      for (const path of ['tree/main', 'tree', 'commits/main', 'commits']) {
        const redirected = await browser.open(`/hidden/empty/-/${path}`);
        assert.deepEqual([redirected.status, redirected.headers.get('location')], [303, '/hidden/empty'], path);
      }
    });

    it('switch to the same path in another branch or tag', async () => {
      const [, menu = ''] = /<turbo-frame id="refs" src="([^"]+)"/.exec(await openPage('/team/code/-/tree/main')) ?? [];
      const asked = menu.replaceAll('&amp;', '&');
      assert.equal(asked, '/team/code/-/refs?view=tree&ref=main&path=');
      assert.match(await openPage(asked), /href="\/team\/code\/-\/tree\/main" aria-current="true">main</);
      const blame = '/team/code/-/refs?view=blame&path=src%2Fa.ts&search=mai';
      assert.match(await openPage(blame), /href="\/team\/code\/-\/blame\/main\/src\/a\.ts">main</);
      assert.match(await openPage('/team/code/-/refs?view=%22%3E&search=no-such'), /No matching branches or tags/);
      await openPage(
        `/team/code/-/refs?path=${encodeURIComponent(hostile.attribute)}&ref=${encodeURIComponent(hostile.element)}`,
      );
    });

    it('respond with 404 without access to the project', async () => {
      const paths = [
        '',
        '/-/tree/main',
        '/-/blob/main/a.txt',
        '/-/blame/main/a.txt',
        '/-/commits/main',
        '/-/branches',
        '/-/refs',
        '/-/tags',
        '/-/releases',
      ];
      for (const path of paths) {
        const page = await stranger().open(`/hidden/secret${path}`);
        const nowhere = await stranger().open(`/hidden/nowhere${path}`);
        assert.deepEqual([page.status, nowhere.status], [404, 404], path);
        assert.ok(!/classified|hidden commit/.test(page.text));
      }
      assert.equal((await stranger().open('/hidden')).status, 404);
      assert.match(await openPage('/hidden/secret/-/blob/main/a.txt'), /classified/);
    });

    it('respond with 404 for missing refs and files', async () => {
      for (const path of [
        'tree/nope',
        'blob/main/nope',
        'blob/main',
        'commit/0000000',
        'compare/main...nope',
        'tags/nope',
        'blame/main/src',
      ]) {
        assert.equal((await browser.open(`/team/code/-/${path}`)).status, 404, path);
      }
    });

    it('provide Atom feeds', async () => {
      const feed = await browser.open('/team/code/-/commits/main?format=atom');
      assert.match(feed.headers.get('content-type') ?? '', /^application\/atom\+xml/);
      assert.match(feed.text, /<entry>[\s\S]*<title>First<\/title>/);
      assert.match((await browser.open('/team/code/-/tags?format=atom')).text, /<title>v1<\/title>/);
    });

    it('redirect from a former project path', async () => {
      await server.must('PUT /projects/team%2Fcode', { json: { path: 'renamed' } });
      const page = await browser.open('/team/code/-/branches');
      assert.deepEqual([page.status, page.headers.get('location')], [303, '/team/renamed/-/branches']);
      await server.must('PUT /projects/team%2Frenamed', { json: { path: 'code' } });
    });

    it('create a project', async () => {
      const created = await browser.fill('/projects/new', '/projects', { name: 'by hand', visibility: 'private' });
      assert.deepEqual([created.status, created.headers.get('location')], [303, '/root/by-hand']);
      const again = await browser.fill('/projects/new', '/projects', { name: 'by hand' });
      assert.equal(again.status, 422);
      assert.match(again.text, /has already been taken/);
      assert.equal((await stranger().post('/projects', { name: 'x' })).status, 303);
      assert.equal((await browser.post('/projects', { name: 'forged' })).status, 422);
    });
  });
});
