import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { sshKeyPair } from '../support/ssh-keys.ts';

forEachEngine((engine) => {
  describe('pages of issues, and of one’s own', () => {
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

    const opened = async (path: string, who: Browser = browser) => {
      const page = await who.open(path);
      assert.equal(page.status, 200, `${path}: ${page.status} ${page.text}`);
      assertHarmless(page.text, path);
      return page.text;
    };

    it('open an issue, discuss, close and reopen it, with script off', async () => {
      const fields = {
        title: hostile.attribute,
        description: `${hostile.markdown}\r\n\r\n${hostile.element}`,
        labels: 'bug',
      };
      const made = await browser.fill('/root/plans/-/issues/new', '/root/plans/-/issues', fields);
      assert.equal(made.status, 303, made.text);
      const path = made.headers.get('location') ?? '';
      assert.match(path, /^\/root\/plans\/-\/issues\/\d+$/);
      assert.match(await opened(path), /marker2[\s\S]*marker3/);
      const said = await browser.fill(path, `${path}/notes`, { note: hostile.comment });
      assert.equal(said.headers.get('location'), path);
      assert.match(await opened(path), /marker4/);
      await browser.fill(path, `${path}/notes`, { note: 'Done with it', state_event: 'close' });
      assert.match(await opened(path), /badge-closed[\s\S]*Done with it/);
      await browser.fill(path, `${path}/notes`, { note: '', state_event: 'reopen' });
      assert.match(await opened(path), /badge-opened/);
      const events = await server.must(`GET /projects/root%2Fplans/issues/${path.split('/').at(-1)}/notes`);
      assert.equal(events.filter((note: { system: boolean }) => !note.system).length, 2);
    });

    it('say what is wrong with an issue, and keep what was typed', async () => {
      const answer = await browser.fill('/root/plans/-/issues/new', '/root/plans/-/issues', {
        title: 'x'.repeat(300),
        description: hostile.comment,
      });
      assert.equal(answer.status, 422);
      assert.match(answer.text, /title is too long[\s\S]*marker4/);
      assertHarmless(answer.text, 'new issue');
    });

    it('list issues by the filters in the address', async () => {
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Apples', labels: 'fruit' } });
      await server.must('POST /projects/root%2Fplans/issues', { json: { title: 'Stones' } });
      const fruit = await opened('/root/plans/-/issues?label_name[]=fruit');
      assert.ok(fruit.includes('Apples') && !fruit.includes('Stones'));
      const words = await opened('/root/plans/-/issues?search=ston&state=opened');
      assert.ok(words.includes('Stones') && !words.includes('Apples'));
      assert.ok(!(await opened('/root/plans/-/issues?state=closed')).includes('Apples'));
      assert.match(
        await opened(`/root/plans/-/issues?search=${encodeURIComponent(hostile.attribute)}`),
        /value="marker2 &quot;&gt;/,
      );
      assert.equal((await browser.open('/root/plans/-/issues?state=nonsense')).status, 400);
    });

    it('keep what is confidential from strangers, and writes from forgers', async () => {
      const stranger = new Browser(server);
      assert.ok(!(await opened('/root/plans/-/issues', stranger)).includes('Hidden plan'));
      assert.equal((await stranger.open('/root/plans/-/issues/1')).status, 404);
      assert.equal((await browser.post('/root/plans/-/issues/1/notes', { note: 'forged' })).status, 422);
      assert.ok(!(await opened('/root/plans/-/issues/1')).includes('forged'));
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      const refused = await other.fill('/', '/root/plans/-/issues/1/notes', { note: 'from outside' });
      assert.equal(refused.status, 404);
    });

    it('show labels, milestones, to-dos and what is assigned to one', async () => {
      assert.match(await opened('/root/plans/-/labels'), /marker1/);
      assert.match(await opened('/root/plans/-/milestones'), /marker1/);
      assert.match(await opened('/root/plans/-/milestones/1'), /marker3/);
      const user = await addUser(server);
      const other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects/root%2Fplans/issues', {
        json: { title: hostile.element, assignee_ids: [user.id] },
      });
      assert.match(await opened('/dashboard/issues', other), /marker1/);
      const todos = await opened('/dashboard/todos', other);
      assert.match(todos, /marker1/);
      const action = /action="([^"]*\/done)"/.exec(todos)?.[1] ?? '';
      assert.equal((await other.fill('/dashboard/todos', action, {})).status, 303);
      assert.match(await opened('/dashboard/todos', other), /Nothing is waiting/);
      assert.equal(
        (await new Browser(server).open('/dashboard/todos')).headers.get('location'),
        '/users/sign_in?redirect=%2Fdashboard%2Ftodos',
      );
    });

    it('show and end one’s own tokens, keys and sessions', async () => {
      const user = await addUser(server);
      const [first, second] = [new Browser(server), new Browser(server)];
      for (const each of [first, second]) await each.signIn(user.username, 'long enough 4 you');
      const page = await opened('/-/user_settings/active_sessions', first);
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
      assert.match(await opened(keys, first), /marker2/);
      const tokens = '/-/user_settings/personal_access_tokens';
      const [, revoke = ''] = /action="([^"]*\/revoke)"/.exec(await opened(tokens, first)) ?? [];
      assert.equal((await first.fill(tokens, revoke, {})).status, 303);
      assert.equal((await server.api('GET /user', { token: user.token })).status, 401);
    });
  });
});
