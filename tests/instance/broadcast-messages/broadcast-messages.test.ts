import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addStage, addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const hour = 3_600_000;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

forEachEngine((engine) => {
  describe('broadcast messages', () => {
    let server: TestServer;
    let user: { id: number; username: string; token: string };

    before(async () => {
      server = await startTestServer(engine, ['--root-password', rootPassword]);
      user = await addUser(server);
    });

    const url = '/broadcast_messages';
    const say = (message: string, json: object = {}) => server.must(`POST ${url}`, { json: { message, ...json } });

    it('are created with defaults', async () => {
      const created = await say('Down at **noon**');
      const { id, starts_at, ends_at, ...rest } = created;
      assert.equal(Date.parse(ends_at) - Date.parse(starts_at), hour);
      assert.deepEqual(rest, {
        message: 'Down at **noon**',
        color: '#E75E40',
        font: '#FFFFFF',
        target_access_levels: [],
        target_path: null,
        broadcast_type: 'banner',
        theme: 'indigo',
        dismissable: false,
        active: true,
      });
      assert.deepEqual(await server.must(`GET ${url}/${id}`, { token: null }), created);
      assert.equal((await server.api(`DELETE ${url}/${id}`)).status, 204);
      assert.equal((await server.api(`GET ${url}/${id}`, { token: null })).status, 404);
    });

    it('are listed for everyone, newest first', async () => {
      const created = [];
      for (const text of ['a', 'b', 'c']) created.push((await say(text)).id);
      const { body, headers } = await server.api(`GET ${url}?per_page=2`, { token: null });
      assert.deepEqual(
        body.map((one: { id: number }) => one.id),
        [created[2], created[1]],
      );
      assert.equal(headers.get('x-total'), '3');
      for (const id of created) await server.must(`DELETE ${url}/${id}`);
    });

    it('are managed by administrators only', async () => {
      const { id } = await say('mine');
      for (const call of [`POST ${url}?message=x`, `PUT ${url}/${id}?message=x`, `DELETE ${url}/${id}`]) {
        assert.equal((await server.api(call, { token: null })).status, 401);
        assert.equal((await server.api(call, { token: user.token })).status, 403);
      }
      const listed = await server.must(`GET ${url}`);
      assert.deepEqual(
        listed.map((one: { message: string }) => one.message),
        ['mine'],
      );
      await server.must(`DELETE ${url}/${id}`);
      for (const call of [`PUT ${url}/${id}?message=x`, `DELETE ${url}/${id}`, `GET ${url}/${id}`]) {
        assert.equal((await server.api(call)).status, 404);
      }
    });

    it('reject invalid values and change nothing', async () => {
      const created = await say('good', { starts_at: later(-hour), ends_at: later(hour) });
      const wrong: [object, RegExp][] = [
        [{ target_access_levels: [30, 31] }, /target_access_levels does not have a valid value/],
        [{ broadcast_type: 'popup' }, /broadcast_type does not have a valid value/],
        [{ theme: 'pink' }, /theme does not have a valid value/],
        [{ starts_at: 'soon' }, /starts_at is invalid/],
        [{ dismissable: 'perhaps' }, /dismissable is invalid/],
        [{ message: ' ' }, /"message":\["can't be blank"\]/],
        [{ message: 'x'.repeat(10_001) }, /"message":\["is too long/],
        [{ color: 'red; }' }, /"color":\["must be a valid color code"\]/],
        [{ font: '#12' }, /"font":\["must be a valid color code"\]/],
        [{ target_path: 'x'.repeat(256) }, /"target_path":\["is too long/],
        [{ ends_at: later(-2 * hour) }, /"ends_at":\["must be after starts_at"\]/],
        [{ starts_at: later(2 * hour), ends_at: later(2 * hour - 1000) }, /"ends_at":\["must be after starts_at"\]/],
      ];
      for (const [json, message] of wrong) {
        const changed = await server.api(`PUT ${url}/${created.id}`, { json });
        assert.deepEqual([changed.status, message.test(changed.text)], [400, true], changed.text);
        const added = await server.api(`POST ${url}`, {
          json: { message: 'good', starts_at: later(-hour), ...json },
        });
        assert.equal(added.status, 400, added.text);
      }
      const missing = await server.api(`POST ${url}`, { json: { theme: 'red' } });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'message is missing' }]);
      assert.deepEqual(await server.must(`GET ${url}`), [created]);
      await server.must(`DELETE ${url}/${created.id}`);
    });

    it('are updated and audited', async () => {
      const created = await say('first', { starts_at: later(hour), target_access_levels: [30, 40], target_path: '/a' });
      assert.deepEqual([created.active, created.target_access_levels], [false, [30, 40]]);
      assert.equal(Date.parse(created.ends_at) - Date.parse(created.starts_at), hour);
      const json = { message: 'second', target_access_levels: [], target_path: '', theme: 'light-red', color: '' };
      const changed = await server.must(`PUT ${url}/${created.id}`, { json });
      assert.deepEqual(changed, { ...created, ...json, target_path: null, color: null });
      assert.deepEqual(await server.must(`PUT ${url}/${created.id}`, { json: {} }), changed);
      await server.must(`DELETE ${url}/${created.id}`);
      const events = await server.must('GET /audit_events?per_page=100');
      const recorded = events
        .map((event: { details: Record<string, unknown> }) => event.details)
        .filter((details: Record<string, unknown>) => details.target_id === created.id)
        .map((details: Record<string, unknown>) => [details.event_name, details.change ?? null, details.author_name]);
      for (const one of [
        ['broadcast_message_created', null, 'Administrator'],
        ['broadcast_message_updated', 'message', 'Administrator'],
        ['broadcast_message_updated', 'theme', 'Administrator'],
        ['broadcast_message_deleted', null, 'Administrator'],
      ]) {
        assert.ok(
          recorded.some((shown: unknown[]) => shown.join() === one.join()),
          `${one.join()} in ${recorded.join(' ')}`,
        );
      }
    });

    it('are shown on the matching pages while active', async () => {
      const stranger = new Browser(server);
      const texts = async (path: string, browser = stranger) => {
        const { text } = await browser.open(path);
        return [...text.matchAll(/<div class="broadcast (\w+) broadcast-([\w-]+)" role="status">(.*?)<\/div>/gs)].map(
          ([, type, theme, shown = '']) => `${type} ${theme} ${shown.replace(/<[^>]+>/g, '').trim()}`,
        );
      };
      const created = [
        await say('**all** <script>alert(1)</script>'),
        await say('searching', { target_path: '/EXPLORE/*', theme: 'green' }),
        await say('not yet', { starts_at: later(hour) }),
        await say('over', { starts_at: later(-hour), ends_at: later(-1000) }),
        await say('old note', { broadcast_type: 'notification' }),
        await say('new note', { broadcast_type: 'notification', theme: 'light' }),
      ];
      const note = 'notification light new note';
      const all = 'banner indigo all &lt;script&gt;alert(1)&lt;/script&gt;';
      assert.deepEqual(await texts('/explore'), [all, note]);
      assert.deepEqual(await texts('/explore/groups'), [all, 'banner green searching', note]);
      assert.deepEqual(await texts('/no/such/page'), [all, note]);
      const { text } = await stranger.open('/explore');
      assert.ok(text.includes('<strong>all</strong>') && !text.includes('<script>alert'));
      assert.ok(text.indexOf('banner') < text.indexOf('<main') && text.indexOf('new note') > text.indexOf('<footer'));
      await server.must(`PUT ${url}/${created[0].id}?message=changed`);
      assert.deepEqual(await texts('/explore'), ['banner indigo changed', note]);
      for (const { id } of created) await server.must(`DELETE ${url}/${id}`);
      assert.deepEqual(await texts('/explore/groups'), []);
    });

    it('are dismissed by a form, per browser', async () => {
      const put = await say('put me away', { dismissable: true });
      const stays = await say('stays');
      const browser = new Browser(server);
      const form = `/-/profile/broadcast_messages/${put.id}/dismiss`;
      const { text } = await browser.open('/explore?name=x');
      assert.ok(text.includes(`action="${form}"`) && !text.includes(`broadcast_messages/${stays.id}/dismiss`));
      assert.match(text, /name="redirect" value="\/explore\?name=x"/);

      const foreign = await browser.post(form, {}, { origin: 'https://elsewhere.example' });
      assert.deepEqual([foreign.status >= 400, foreign.headers.get('set-cookie')], [true, null]);
      const done = await browser.post(form, { redirect: '/explore?name=x' });
      assert.deepEqual([done.status, done.headers.get('location')], [303, '/explore?name=x']);
      const expires = new Date(put.ends_at).toUTCString();
      assert.ok(done.headers.get('set-cookie')?.includes(`Expires=${expires}`), done.headers.get('set-cookie') ?? '');
      for (const id of [stays.id, 9_999_999]) {
        const refused = await browser.post(`/-/profile/broadcast_messages/${id}/dismiss`, {
          redirect: '//elsewhere.example/',
        });
        assert.deepEqual([refused.status, refused.headers.get('set-cookie')], [303, null]);
        assert.ok(!refused.headers.get('location')?.includes('elsewhere'));
      }
      const after = (await browser.open('/explore')).text;
      assert.ok(!after.includes('put me away') && after.includes('stays'));
      assert.ok((await new Browser(server).open('/explore')).text.includes('put me away'));
      for (const { id } of [put, stays]) await server.must(`DELETE ${url}/${id}`);
    });

    it('with access levels are shown to members with such a role in the group and its projects', async () => {
      const { group, project } = await addStage(server, 'public');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level: 30 } });
      const forDevelopers = await say('for developers', { target_access_levels: [20, 30] });
      const forOwners = await say('for owners', { target_access_levels: [50] });
      const member = new Browser(server);
      await member.signIn(user.username, 'long enough 4 you');
      const pages = [
        `/${group.full_path}`,
        `/groups/${group.full_path}/-/activity`,
        `/${project.path_with_namespace}`,
        `/${project.path_with_namespace}/-/issues`,
      ];
      for (const page of pages) {
        const { text } = await member.open(page);
        assert.deepEqual([text.includes('for developers'), text.includes('for owners')], [true, false], page);
        const outside = (await new Browser(server).open(page)).text;
        assert.ok(!outside.includes('for developers') && !outside.includes('for owners'), page);
      }
      const elsewhere = await addStage(server, 'public');
      for (const page of ['/explore', `/${elsewhere.group.full_path}`, `/${elsewhere.project.path_with_namespace}`]) {
        assert.ok(!(await member.open(page)).text.includes('for developers'), page);
      }
      for (const { id } of [forDevelopers, forOwners]) await server.must(`DELETE ${url}/${id}`);
    });
  });
});
