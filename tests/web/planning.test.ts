import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { sshKeyPair } from '../support/ssh-keys.ts';

forEachEngine((engine) => {
  describe('planning and dashboard pages', () => {
    let server: TestServer;
    let browser: Browser;

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'plans', visibility: 'public' } });
      await server.must('POST /projects/root%2Fplans/labels', {
        json: { name: hostile.attribute.slice(0, 60), color: '#ff0000', description: hostile.element },
      });
      await server.must('POST /projects/root%2Fplans/milestones', {
        json: { title: hostile.element, description: hostile.markdown },
      });
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Hidden plan', confidential: true } });
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    it('create, discuss, close and reopen an issue without scripts', async () => {
      const fields = {
        title: hostile.attribute,
        description: `${hostile.markdown}\r\n\r\n${hostile.element}`,
        labels: 'bug',
      };
      const created = await browser.fill('/root/plans/-/issues/new', '/root/plans/-/issues', fields);
      assert.equal(created.status, 303, created.text);
      const path = created.headers.get('location') ?? '';
      assert.match(path, /^\/root\/plans\/-\/issues\/\d+$/);
      assert.match(await openPage(path), /marker2[\s\S]*marker3/);
      const said = await browser.fill(path, `${path}/notes`, { note: hostile.comment });
      assert.match(said.headers.get('location') ?? '', new RegExp(`^${path}#note_\\d+$`));
      assert.match(await openPage(path), /marker4/);
      await browser.fill(path, `${path}/notes`, { note: 'Done with it', state_event: 'close' });
      assert.match(await openPage(path), /badge-closed[\s\S]*Done with it/);
      await browser.fill(path, `${path}/notes`, { note: '', state_event: 'reopen' });
      assert.match(await openPage(path), /badge-opened/);
      const events = await server.must(`GET /projects/root%2Fplans/issues/${path.split('/').at(-1)}/notes`);
      assert.equal(events.filter((note: { system: boolean }) => !note.system).length, 2);
    });

    it('show discussions to everyone with read access', async () => {
      const { iid } = await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Open talk' } });
      const notes = `/projects/root%2Fplans/issues/${iid}/notes`;
      await server.must(`POST ${notes}`, { json: { body: 'Said to **everybody** by @root' } });
      await server.must(`POST ${notes}`, { json: { body: 'Said among ourselves', internal: true } });
      const stranger = new Browser(server);
      const text = await openPage(`/root/plans/-/issues/${iid}`, stranger);
      assert.match(text, /<time datetime="20[\s\S]*Said to <strong>everybody<\/strong>/);
      assert.doesNotMatch(text, /among ourselves|<summary>Reply|<summary>React|<summary>Change/);
      assert.equal((await stranger.open('/root/plans/-/issues/1')).status, 404);
      assert.equal((await server.api(`GET ${notes}`, { token: null })).status, 401);
    });

    it('list issues and merge requests in every offered order', async () => {
      for (const title of ['Zebra', 'Aardvark'])
        await server.must('POST /projects/root%2Fplans/issues', { json: { title } });
      for (const list of ['/root/plans/-/issues', '/root/plans/-/merge_requests', '/dashboard/issues']) {
        const page = await openPage(list, browser);
        const offered = [...page.matchAll(/<option value="([a-z_]+)"/g)].map(([, name]) => name);
        assert.equal(offered.includes('due_date'), list.endsWith('issues'), list);
        for (const name of [...offered, 'due_date', 'nonsense'])
          await openPage(`${list}?sort=${name}&assignee_username=root`);
      }
      assert.match(await openPage('/root/plans/-/issues?sort=title_asc'), /Aardvark[\s\S]*Zebra/);
      assert.match(await openPage('/root/plans/-/issues?sort=created_asc'), /Zebra[\s\S]*Aardvark/);
    });

    it('list the user’s projects, stars and groups', async () => {
      await server.must('POST /groups', { json: { name: 'Gardeners', path: 'gardeners' } });
      assert.match(await openPage('/dashboard/groups'), /Gardeners/);
      assert.doesNotMatch(await openPage('/dashboard/groups?name=nobody'), /Gardeners/);
      assert.doesNotMatch(await openPage('/dashboard/projects/starred'), /href="\/root\/plans"/);
      await server.must('POST /projects/root%2Fplans/star');
      assert.match(await openPage('/dashboard/projects/starred'), /href="\/root\/plans"/);
      assert.doesNotMatch(await openPage('/?name=nothing'), /href="\/root\/plans"/);
    });

    it('show validation errors, and keep the input', async () => {
      const answer = await browser.fill('/root/plans/-/issues/new', '/root/plans/-/issues', {
        title: 'x'.repeat(300),
        description: hostile.comment,
      });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /title is too long[\s\S]*marker4/);
      assertHarmless(answer.text, 'new issue');
    });

    it('prefill the issue template of the project', async () => {
      const begun = async (address = '/root/plans/-/issues/new') => openPage(address);
      assert.doesNotMatch(await begun(), /What happened/);
      await server.must('POST /projects/root%2Fplans/repository/files/.gitlab%2Fissue_templates%2FDefault.md', {
        json: { branch: 'main', content: 'What happened?', commit_message: 'Ask' },
      });
      assert.match(await begun(), /What happened\?<\/textarea>/);
      await server.must('PUT /projects/root%2Fplans', { json: { issues_template: 'Steps & <b>' } });
      assert.match(await begun(), /Steps &amp; &lt;b&gt;<\/textarea>/);
      assert.match(await begun('/root/plans/-/issues/new?issue[description]=Mine'), />\s*Mine<\/textarea>/);
      await server.must('PUT /projects/root%2Fplans', { json: { issues_template: '' } });
    });

    it('list issues by the filters in the URL', async () => {
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Apples', labels: 'fruit' } });
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Stones' } });
      const fruit = await openPage('/root/plans/-/issues?label_name[]=fruit');
      assert.ok(fruit.includes('Apples') && !fruit.includes('Stones'));
      const words = await openPage('/root/plans/-/issues?search=ston&state=opened');
      assert.ok(words.includes('Stones') && !words.includes('Apples'));
      assert.ok(!(await openPage('/root/plans/-/issues?state=closed')).includes('Apples'));
      assert.match(
        await openPage(`/root/plans/-/issues?search=${encodeURIComponent(hostile.attribute)}`),
        /value="marker2 &quot;&gt;/,
      );
      assert.equal((await browser.open('/root/plans/-/issues?state=nonsense')).status, 400);
    });

    it('hide confidential issues, and reject forged forms', async () => {
      const stranger = new Browser(server);
      assert.ok(!(await openPage('/root/plans/-/issues', stranger)).includes('Hidden plan'));
      assert.equal((await stranger.open('/root/plans/-/issues/1')).status, 404);
      assert.equal((await browser.post('/root/plans/-/issues/1/notes', { note: 'forged' })).status, 422);
      assert.ok(!(await openPage('/root/plans/-/issues/1')).includes('forged'));
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      const refused = await other.fill('/', '/root/plans/-/issues/1/notes', { note: 'from outside' });
      assert.equal(refused.status, 404);
    });

    it('show labels, milestones, to-dos and assigned items', async () => {
      assert.match(await openPage('/root/plans/-/labels'), /marker1/);
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Alone', labels: 'lonely' } });
      assert.match(await openPage('/root/plans/-/labels'), />lonely<[\s\S]*?>1 open issue</);
      assert.match(await openPage('/root/plans/-/milestones'), /marker1/);
      assert.match(await openPage('/root/plans/-/milestones/1'), /marker3/);
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects/root%2Fplans/issues', {
        json: { title: hostile.element, assignee_ids: [user.id] },
      });
      assert.match(await openPage('/dashboard/issues', other), /marker1/);
      const todos = await openPage('/dashboard/todos', other);
      assert.match(todos, /marker1/);
      const action = /action="([^"]*\/done)"/.exec(todos)?.[1] ?? '';
      assert.equal((await other.fill('/dashboard/todos', action, {})).status, 303);
      assert.match(await openPage('/dashboard/todos', other), /Nothing is waiting/);
      assert.equal(
        (await new Browser(server).open('/dashboard/todos')).headers.get('location'),
        '/users/sign_in?redirect=%2Fdashboard%2Ftodos',
      );
    });

    it('mark all to-dos as done', async () => {
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      const todos = '/dashboard/todos';
      const all = `${todos}/all/done`;
      assert.doesNotMatch(await openPage(todos, other), /Mark all as done/);
      for (const title of ['One', 'Two'])
        await server.must('POST /projects/root%2Fplans/issues', { json: { title, assignee_ids: [user.id] } });
      assert.match(await openPage(todos, other), /Mark all as done/);
      assert.equal((await other.post(all, {})).status, 422);
      assert.match(await openPage(todos, other), />Two</);
      assert.equal((await other.fill(todos, all, {})).headers.get('location'), todos);
      assert.match(await openPage(todos, other), /Nothing is waiting/);
      const done = await openPage(`${todos}?state=done`, other);
      assert.match(done, />Two<[\s\S]*>One</);
      assert.doesNotMatch(done, /Mark all as done/);
    });

    const submit = (page: string, to: string, fields: Record<string, string>) => browser.send(page, to, fields);

    it('update assignees, labels, milestone and due date of an issue', async () => {
      const created = await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'To be changed' } });
      const path = `/root/plans/-/issues/${created.iid}`;
      const [milestone] = await server.must('GET /projects/root%2Fplans/milestones');
      assert.match(await openPage(`${path}/edit`), /value="To be changed"[\s\S]*marker1/);
      const fields = { title: hostile.attribute, assignees: '@root', labels: 'a, b', due_date: '2027-01-31' };
      await submit(`${path}/edit`, `${path}/edit`, {
        ...fields,
        milestone_id: String(milestone.id),
        confidential: 'true',
      });
      const issue = await server.must(`GET /projects/root%2Fplans/issues/${created.iid}`);
      assert.deepEqual(
        [issue.labels, issue.due_date, issue.confidential, issue.milestone.id, issue.assignees.length],
        [['a', 'b'], '2027-01-31', true, milestone.id, 1],
      );
      await submit(`${path}/edit`, `${path}/edit`, { title: 'Plain again' });
      const plain = await server.must(`GET /projects/root%2Fplans/issues/${created.iid}`);
      assert.deepEqual(
        [plain.labels, plain.due_date, plain.confidential, plain.milestone, plain.assignees],
        [[], null, false, null, []],
      );
      const wrong = await browser.fill(`${path}/edit`, `${path}/edit`, { title: 'x', assignees: hostile.element });
      assert.equal(wrong.status, 422);
      assertHarmless(wrong.text, 'edit issue');
      await submit(path, `${path}/unsubscribe`, {});
      assert.match(await openPage(path), />Subscribe</);
    });

    it('create, update, close and delete labels and milestones of projects and groups', async () => {
      await server.must('POST /groups', { json: { name: 'Plans of many', path: 'planners', visibility: 'public' } });
      for (const [home, api] of [
        ['/root/plans', '/projects/root%2Fplans'],
        ['/groups/planners', '/groups/planners'],
      ] as const) {
        const labels = `${home}/-/labels`;
        await submit(labels, labels, { name: 'chore', color: '#336699', description: hostile.markdown });
        assert.match(await openPage(labels), /chore[\s\S]*marker3[\s\S]*0 open issues/);
        const [label] = (await server.must(`GET ${api}/labels`)).filter(
          ({ name }: { name: string }) => name === 'chore',
        );
        await submit(labels, `${labels}/edit?id=${label.id}`, { name: 'chores', color: '#336699' });
        assert.equal((await server.must(`GET ${api}/labels/chores`)).id, label.id);
        const wrong = await browser.fill(labels, labels, { name: 'chores', color: 'no colour' });
        assert.ok([400, 409, 422].includes(wrong.status), `${wrong.status}`);
        assertHarmless(wrong.text, labels);
        await submit(labels, `${labels}/act`, { action: 'remove', id: String(label.id) });
        assert.equal((await server.api(`GET ${api}/labels/chores`)).status, 404);
        assert.equal((await browser.fill(labels, `${labels}/act`, { action: 'toString', id: '1' })).status, 404);

        const page = await submit(`${home}/-/milestones/new`, `${home}/-/milestones`, {
          title: `First of ${home.length}`,
          due_date: '2027-03-01',
          description: hostile.comment,
        });
        assert.match(await openPage(page), /First of[\s\S]*2027-03-01[\s\S]*marker4/);
        assert.match(await openPage(`${page}/edit`), /value="2027-03-01"/);
        await submit(page, `${page}/edit`, { title: `First of ${home.length}`, description: 'Less' });
        await submit(page, `${page}/state`, { event: 'close' });
        assert.match(await openPage(`${home}/-/milestones?state=closed`), /First of/);
        const early = { title: 'Early', start_date: '2027-03-01', due_date: '2027-01-01' };
        const refused = await browser.fill(page, `${home}/-/milestones`, early);
        assert.equal(refused.status, 422, refused.text);
        await submit(page, `${page}/remove`, {});
        assert.equal((await browser.open(page)).status, 404);
        for (const list of ['issues', 'merge_requests']) await openPage(`${home}/-/${list}`, new Browser(server));
      }
    });

    it('show a board, and move issues by form', async () => {
      const boards = '/root/plans/-/boards';
      await server.must('POST /projects/root%2Fplans/labels', { json: { name: 'doing', color: '#00ff00' } });
      const issue = await server.must('POST /projects/root%2Fplans/issues', { json: { title: hostile.comment } });
      const board = await submit(boards, boards, { name: hostile.element.slice(0, 60) });
      const { id } = await server.must('GET /projects/root%2Fplans/labels/doing');
      await submit(board, `${board}/lists`, { label_id: String(id) });
      const [stored] = await server.must('GET /projects/root%2Fplans/boards');
      const list = String(stored.lists[0].id);
      assert.match(await openPage(board), /marker4/);
      const move = (from: string, to: string) =>
        submit(board, `${board}/move`, { place: String(issue.project_id), iid: String(issue.iid), from, to });
      const now = () => server.must(`GET /projects/root%2Fplans/issues/${issue.iid}`);
      await move('open', list);
      assert.deepEqual((await now()).labels, ['doing']);
      await move(list, 'closed');
      assert.deepEqual([(await now()).labels, (await now()).state], [[], 'closed']);
      await move('closed', list);
      assert.deepEqual([(await now()).labels, (await now()).state], [['doing'], 'opened']);
      assert.equal((await browser.fill(board, `${board}/move`, { iid: String(issue.iid), to: 'nowhere' })).status, 404);
      assert.equal((await browser.post(`${board}/move`, { iid: String(issue.iid), to: 'closed' })).status, 422);
      await submit(board, `${board}/remove_list`, { list });
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      assert.doesNotMatch(await openPage(board, other), /<summary>Move/);
      const closing = { place: String(issue.project_id), iid: String(issue.iid), to: 'closed' };
      const refused = await other.fill(board, `${board}/move`, closing);
      assert.ok(refused.status === 403 || refused.status === 404, `${refused.status}`);
    });

    it('show the activity of anyone in the projects of the user', async () => {
      const page = '/dashboard/activity';
      const user = await addUser(server);
      const own = new Browser(server);
      await own.signIn(user.username, 'long enough 4 you');
      assert.match(await openPage(page, own), /No activity yet/);
      assert.match(await openPage('/', own), new RegExp(`href="${page}"`));
      for (const name of ['shared', 'unshared']) {
        const project = await server.must('POST /projects', { json: { name, visibility: 'public' } });
        const json = { user_id: user.id, access_level: 30 };
        if (name === 'shared') await server.must(`POST /projects/${project.id}/members`, { json });
        await server.must(`POST /projects/${project.id}/issues`, { json: { title: `${name} ${hostile.element}` } });
      }
      await server.running.services.queue.drain();
      const text = await openPage(page, own);
      assert.match(
        text,
        /href="\/root\/shared\/-\/issues\/1">shared marker1[\s\S]*href="\/root\/shared">root\/shared</,
      );
      assert.doesNotMatch(text, /unshared/);
      assert.match((await new Browser(server).open(page)).headers.get('location') ?? '', /sign_in/);
    });

    it('end all other sessions of the user at once', async () => {
      const sessions = '/-/user_settings/active_sessions';
      const user = await addUser(server);
      const [first, second, third] = [new Browser(server), new Browser(server), new Browser(server)];
      await first.signIn(user.username, 'long enough 4 you');
      assert.doesNotMatch(await openPage(sessions, first), /end_others/);
      for (const each of [second, third]) await each.signIn(user.username, 'long enough 4 you');
      assert.match(await openPage(sessions, first), /action="[^"]*\/end_others"/);
      assert.equal(await first.send(sessions, `${sessions}/end_others`), sessions);
      assert.match(await openPage(sessions, first), /All other sessions have ended/);
      for (const each of [second, third]) {
        assert.match((await each.open('/dashboard/todos')).headers.get('location') ?? '', /sign_in/);
      }
      assert.equal((await first.open('/dashboard/todos')).status, 200);
      assert.equal((await browser.open('/dashboard/todos')).status, 200);
    });

    it('list and revoke the user’s tokens, keys and sessions', async () => {
      const user = await addUser(server);
      const [first, second] = [new Browser(server), new Browser(server)];
      for (const each of [first, second]) await each.signIn(user.username, 'long enough 4 you');
      const page = await openPage('/-/user_settings/active_sessions', first);
      const [, end = ''] = /action="([^"]*\/end)"/.exec(page) ?? [];
      assert.equal((await first.fill('/-/user_settings/active_sessions', end, {})).status, 303);
      assert.match((await second.open('/dashboard/todos')).headers.get('location') ?? '', /sign_in/);
      const keys = '/-/user_settings/ssh_keys';
      const wrong = await first.fill(keys, keys, { title: hostile.attribute, key: hostile.comment });
      assert.equal(wrong.status, 422);
      assertHarmless(wrong.text, keys);
      const { public: key } = sshKeyPair();
      const added = await first.fill(keys, keys, { title: hostile.attribute, key });
      assert.equal(added.status, 303, added.text);
      assert.match(await openPage(keys, first), /marker2/);
      for (const page of ['/-/user_settings/gpg_keys', '/-/profile/emails']) {
        const refused = await first.fill(page, page, { key: hostile.comment, email: hostile.attribute });
        assert.equal(refused.status, 422, refused.text);
        assertHarmless(refused.text, page);
        assert.equal((await first.post(page, { key: 'forged', email: 'forged@example.com' })).status, 422);
      }
      const changes = {
        '/-/user_settings/profile': { message: hostile.element, availability: 'busy' },
        '/-/profile/notifications': { level: 'watch' },
        '/-/profile/preferences': { view_diffs_file_by_file: 'true' },
      };
      for (const [page, fields] of Object.entries(changes)) {
        const saved = await first.fill(page, page, fields);
        assert.equal(saved.headers.get('location'), page, saved.text);
        assert.match(await openPage(page, first), /role="status"[^>]*>Saved\./);
        assert.doesNotMatch(await openPage(page, first), /Saved\./);
      }
      assert.match(await openPage('/-/user_settings/profile', first), /marker1[\s\S]*value="busy" selected/);
      const tokens = '/-/user_settings/personal_access_tokens';
      const created = await first.fill(tokens, tokens, { name: hostile.element, scopes: 'api' });
      assert.equal(created.status, 200, created.text);
      assertHarmless(created.text, tokens);
      const [, secret = ''] = /<input readonly value="([^"]+)"/.exec(created.text) ?? [];
      assert.equal((await server.api('GET /user', { token: secret })).body.username, user.username);
      const grabbing = { token: secret, json: { name: 'more', scopes: ['api'] } };
      assert.equal((await server.api('POST /user/personal_access_tokens', grabbing)).status, 400);
      const none = await first.fill(tokens, tokens, { name: 'of nothing' });
      assert.equal(none.status, 422);
      const sudo = await first.fill(tokens, tokens, { name: 'of everything', scopes: 'sudo' });
      assert.equal(sudo.status, 422);
      const [own] = await server.must('GET /personal_access_tokens', { token: user.token });
      assert.equal((await first.fill(tokens, `${tokens}/act`, { action: 'revoke', id: String(own.id) })).status, 303);
      assert.equal((await server.api('GET /user', { token: user.token })).status, 401);
    });
  });
});
