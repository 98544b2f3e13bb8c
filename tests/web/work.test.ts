import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { drawLog, LogDrawer } from '../../src/web/ci/ansi.ts';
import { RunnerClient } from '../ci/runner-client.ts';
import { addTracked, counted, exceptionEvent, report } from '../error-tracking/tracking.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { addPerson } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('job log renderer', () => {
  const esc = '\u001b';
  const drawn: readonly (readonly [string, string, string])[] = [
    ['plain text', 'a <b>\n', '<span id="L1"><a href="#L1" aria-label="1"></a>a &lt;b&gt;</span>\n'],
    [
      'a colour until it is reset',
      `${esc}[31;1mred${esc}[0m no`,
      '<span id="L1"><a href="#L1" aria-label="1"></a><span class="c1 bold">red</span> no</span>\n',
    ],
    [
      'a colour over two lines',
      `${esc}[32ma\nb`,
      '<span id="L1"><a href="#L1" aria-label="1"></a><span class="c2">a</span></span>\n<span id="L2"><a href="#L2" aria-label="2"></a><span class="c2">b</span></span>\n',
    ],
    [
      'dropped control sequences',
      `${esc}[0K${esc}]0;title\u0007x\u0008y`,
      '<span id="L1"><a href="#L1" aria-label="1"></a>xy</span>\n',
    ],
    ['overwritten lines', '10 %\r100 %', '<span id="L1"><a href="#L1" aria-label="1"></a>100 %</span>\n'],
    [
      'background colours and italics',
      `${esc}[44;3mx${esc}[49;23my`,
      '<span id="L1"><a href="#L1" aria-label="1"></a><span class="on4 italic">x</span>y</span>\n',
    ],
    ...(
      [
        ['38;5;208', 'c3'],
        ['38;5;31', 'c6'],
        ['38;5;9', 'c1'],
        ['48;5;240', 'on0'],
        ['38;5;255', 'c7'],
        ['38;2;20;90;240', 'c4'],
        ['48;2;200;30;30;1', 'on1 bold'],
      ] as const
    ).map(
      ([code, names]) =>
        [
          `a colour of many bits as the nearest of eight: ${code}`,
          `${esc}[${code}mx`,
          `<span id="L1"><a href="#L1" aria-label="1"></a><span class="${names}">x</span></span>\n`,
        ] as const,
    ),
    [
      'invalid colour codes',
      `${esc}[38;5;256mx${esc}[38;2;1mz${esc}[38;5m`,
      '<span id="L1"><a href="#L1" aria-label="1"></a>xz</span>\n',
    ],
    [
      'sections',
      `section_start:1:build[collapsed=true]\r${esc}[0KBuilding\nin\nsection_end:2:build\r${esc}[0K\nout`,
      '<details id="section-1"><summary>Building</summary><span id="L2"><a href="#L2" aria-label="2"></a>in</span>\n</details><span id="L4"><a href="#L4" aria-label="4"></a>out</span>\n',
    ],
    [
      'an unterminated section',
      `section_start:1:a\r${esc}[0KA\nx`,
      '<details id="section-1" open><summary>A</summary><span id="L2"><a href="#L2" aria-label="2"></a>x</span>\n</details>',
    ],
    [
      'a section end without a start',
      `section_end:1:a\r${esc}[0Kx`,
      '<span id="L1"><a href="#L1" aria-label="1"></a>x</span>\n',
    ],
  ];
  for (const [name, text, expected] of drawn) it(`shows ${name}`, () => assert.equal(drawLog(text), expected));

  it('continues in the open section, and closes it', () => {
    const drawer = new LogDrawer();
    const start = (name: string) => `section_start:1:${name}\r${esc}[0K${name}\n`;
    const end = (name: string) => `section_end:1:${name}\r${esc}[0K`;
    assert.deepEqual(drawer.draw(`${start('a')}${start('b')}${esc}[31mone\n`), [
      {
        target: 'log',
        html: '<details id="section-1" open><summary>a</summary><details id="section-2" open><summary>b</summary><span id="L3"><a href="#L3" aria-label="3"></a><span class="c1">one</span></span>\n</details></details>',
      },
    ]);
    assert.deepEqual(drawer.draw(`two\n${end('b')}\n${start('c')}three\n${end('a')}four\n`), [
      {
        target: 'section-2',
        html: '<span id="L4"><a href="#L4" aria-label="4"></a><span class="c1">two</span></span>\n',
      },
      {
        target: 'section-1',
        html: '<details id="section-3" open><summary><span class="c1">c</span></summary><span id="L7"><a href="#L7" aria-label="7"></a><span class="c1">three</span></span>\n</details>',
      },
      { target: 'log', html: '<span id="L8"><a href="#L8" aria-label="8"></a><span class="c1">four</span></span>\n' },
    ]);
    assert.deepEqual(drawer.draw(''), []);
  });
});

forEachEngine((engine) => {
  describe('merge request, pipeline and error pages', () => {
    let server: TestServer;
    let browser: Browser;
    const url = '/projects/root%2Fwork';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', {
        json: { name: 'work', visibility: 'public', initialize_with_readme: true },
      });
      const commit = (branch: string, file_path: string, content: string, start?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            commit_message: hostile.element,
            ...(start && { start_branch: start }),
            actions: [{ action: 'create', file_path, content }],
          },
        });
      await commit('change', 'added.txt', hostile.element, 'main');
      await commit('main', '.gitlab-ci.yml', 'build: {script: echo}\ntest: {script: echo, stage: test}');
      await server.running.services.queue.drain();
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    it('create, discuss and merge a merge request without scripts', async () => {
      const list = '/root/work/-/merge_requests';
      const fields = {
        source_branch: 'change',
        target_branch: 'main',
        title: hostile.attribute,
        description: hostile.markdown,
      };
      const wrong = await browser.fill(`${list}/new`, list, { ...fields, title: 'x'.repeat(300) });
      assert.equal(wrong.status, 422, wrong.text);
      const created = await browser.fill(`${list}/new?merge_request[source_branch]=change`, list, fields);
      assert.equal(created.status, 303, created.text);
      const path = created.headers.get('location') ?? '';
      await server.running.services.queue.drain();
      assert.match(await openPage(path), /marker2[\s\S]*marker3/);
      assert.match(await openPage(list), /marker2/);
      assert.match(await openPage(`${path}/commits`), /marker1/);
      assert.match(await openPage(`${path}/diffs`), /added\.txt[\s\S]*marker1/);
      await browser.fill(path, `${path}/notes`, { note: hostile.comment });
      const page = await openPage(path);
      assert.match(page, /marker4/);
      const sha = /name="sha" value="([0-9a-f]{40})"/.exec(page)?.[1] ?? '';
      assert.notEqual(sha, '', page);
      const stale = await browser.fill(path, `${path}/merge`, { sha: '0'.repeat(40) });
      assert.equal(stale.status, 409);
      assert.equal(
        (await new Browser(server).post(`${path}/merge`, { sha })).headers.get('location'),
        '/users/sign_in?redirect=%2F&sent=1',
      );
      assert.equal((await browser.fill(path, `${path}/merge`, { sha })).status, 303);
      await server.running.services.queue.drain();
      assert.match(await openPage(path), /badge-merged/);
    });

    it('show pipelines by stage and a coloured job log, and retry', async () => {
      const [pipeline] = await server.must(`GET ${url}/pipelines?ref=main`);
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      const job = await runner.take();
      await runner.patch(job, 0, `\u001b[31mred\u001b[0m ${hostile.element}\n`);
      await runner.report(job, { state: 'failed' });
      await server.running.services.queue.drain();
      assert.match(await openPage('/root/work/-/pipelines'), new RegExp(`#${pipeline.id}<`));
      assert.match(await openPage(`/root/work/-/pipelines/${pipeline.id}`), /<h2>test<\/h2>/);
      assert.match(await openPage('/root/work/-/jobs'), /build/);
      const page = `/root/work/-/jobs/${job.id}`;
      assert.match(await openPage(page), /<span class="c1">red<\/span> marker1 &lt;img/);
      assert.equal((await new Browser(server).post(`${page}/retry`, {})).status, 303);
      const again = await browser.fill(page, `${page}/retry`, {});
      assert.equal(again.status, 303, again.text);
      assert.notEqual(again.headers.get('location'), page);
      assert.equal((await browser.fill(page, `${page}/nothing`, {})).status, 404);
    });

    it('show errors with stack traces, and resolve them', async () => {
      const owner = await addPerson(server, 'tracker');
      const tracked = await addTracked(server, owner);
      await report(server, tracked, exceptionEvent({ message: hostile.element }, hostile.attribute, hostile.comment));
      await counted(server);
      const list = `/${owner.user.username}/${tracked.project.path}/-/error_tracking`;
      const text = await openPage(list);
      assert.match(text, /marker2/);
      const detail = /href="([^"]*\/details)"/.exec(text)?.[1] ?? '';
      assert.match(await openPage(detail), /marker4/);
      await browser.fill(detail, detail.replace('details', 'status'), { status: 'resolved' });
      assert.match(await openPage(`${list}?status=resolved`), /marker2/);
      assert.equal((await new Browser(server).open(list)).status, 404);
    });

    it('enable error tracking', async () => {
      const owner = await addPerson(server, 'beginner');
      const { id } = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'begun', visibility: 'public' },
      });
      const list = `/${owner.user.username}/begun/-/error_tracking`;
      const reader = new Browser(server);
      const { username } = await addUser(server);
      await reader.signIn(username, 'long enough 4 you');
      const refused = await reader.fill('/-/user_settings/profile', list, {});
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      assert.match(await openPage(list), /Error tracking is off[\s\S]*Switch it on/);
      assert.equal((await browser.fill(list, list, {})).headers.get('location'), list);
      const [{ sentry_dsn }] = await server.must(`GET /projects/${id}/error_tracking/client_keys`);
      const text = await openPage(list);
      assert.match(text, /No matching errors/);
      assert.ok(text.includes(`data-copy="${sentry_dsn}"`));
    });

    it('search visible content', async () => {
      assert.match(await openPage('/search?search=work'), /root\/work/);
      assert.match(await openPage('/search?search=root&scope=users'), /Administrator/);
      assert.match(await openPage(`/search?search=${encodeURIComponent(hostile.attribute)}`), /marker2/);
      assert.equal(
        (await new Browser(server).open('/search?search=work')).headers.get('location'),
        '/explore?name=work',
      );
    });
  });
});
