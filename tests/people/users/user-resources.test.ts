import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

forEachEngine((engine) => {
  describe('user resources', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    const as = (person: Person | null) => ({ token: person?.token ?? null });

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
    });

    it('keep concurrent changes to different fields', async () => {
      await inRounds(async () => {
        const cat = await addPerson(server, 'cat');
        const shown = { view_diffs_file_by_file: true, show_whitespace_in_diffs: true };
        const change = (call: string, json: object) => server.must(call, { ...as(cat), json });
        await Promise.all([
          change('PUT /user/preferences', { ...shown, pass_user_identities_to_ci_jwt: true }),
          change('PUT /user/preferences', shown),
          server.must(`PUT /users/${cat.user.id}`, { json: { policy_advanced_editor: true } }),
          change('PATCH /user/status', { message: 'hi' }),
          change('PATCH /user/status', { availability: 'busy' }),
        ]);
        const { pass_user_identities_to_ci_jwt, policy_advanced_editor } = await server.must(
          'GET /user/preferences',
          as(cat),
        );
        assert.deepEqual([pass_user_identities_to_ci_jwt, policy_advanced_editor], [true, true]);
        const { message, availability } = await server.must('GET /user/status', as(cat));
        assert.deepEqual([message, availability], ['hi', 'busy']);
      });
    });

    it('follow a user once', async () => {
      await inRounds(async () => {
        const [cat, dan] = [await addPerson(server, 'cat'), await addPerson(server, 'dan')];
        const answers = await atOnce(5, () => server.api(`POST /users/${cat.user.id}/follow`, as(dan)));
        assert.deepEqual(statuses(answers), { 201: 1, 304: 4 });
      }, 4);
    });

    it('set and patch the status', async () => {
      const nothing = { emoji: null, message: null, availability: null, message_html: null, clear_status_at: null };
      assert.deepEqual(await server.must('GET /user/status', as(ann)), nothing);
      const json = { emoji: 'coffee', message: 'a <break>', availability: 'busy', clear_status_after: '1_day' };
      const set = await server.must('PUT /user/status', { ...as(ann), json });
      assert.deepEqual([set.emoji, set.message_html, set.availability], ['coffee', 'a &lt;break&gt;', 'busy']);
      assert.ok(set.clear_status_at);
      const patched = await server.must('PATCH /user/status', { ...as(ann), json: { message: 'back' } });
      assert.deepEqual([patched.emoji, patched.message, patched.availability], ['coffee', 'back', 'busy']);
      const read = await server.must(`GET /users/${ann.user.username}/status`, as(null));
      assert.deepEqual(read, patched);
      const put = await server.must('PUT /user/status', { ...as(ann), json: { message: 'hello' } });
      assert.deepEqual([put.emoji, put.availability, put.clear_status_at], ['speech_balloon', 'not_set', null]);
      const empty = await server.api('PATCH /user/status', { ...as(ann), json: {} });
      assert.deepEqual([empty.status, empty.text], [200, '']);
      assert.deepEqual(await server.must('PUT /user/status', { ...as(ann), json: {} }), nothing);
      const long = await server.api('PUT /user/status', { ...as(ann), json: { message: 'm'.repeat(101) } });
      assert.deepEqual(long.body, { message: { message: ['is too long (maximum is 100 characters)'] } });
      for (const emoji of ['nope', 'Coffee', '<b>']) {
        const unknown = await server.api('PUT /user/status', { ...as(ann), json: { emoji } });
        assert.deepEqual([unknown.status, unknown.body], [400, { message: { emoji: ['is not a valid emoji name'] } }]);
      }
      const written = { emoji: '+1', message: ':tada: <b> :nope:' };
      const drawn = await server.must('PUT /user/status', { ...as(ann), json: written });
      assert.equal(drawn.emoji, '+1');
      assert.equal(drawn.message_html, '<gl-emoji title="tada" data-name="tada">🎉</gl-emoji> &lt;b&gt; :nope:');
      assert.equal((await server.api('GET /user/status', as(null))).status, 401);
      assert.equal((await server.api('GET /users/nobody/status', as(null))).status, 404);
    });

    it('manage e-mail addresses hidden from others', async () => {
      const added = await server.must('POST /user/emails', { ...as(ann), json: { email: 'more@x.org' } });
      assert.equal(added.confirmed_at, null);
      const twice = await server.api('POST /user/emails', { ...as(ann), json: { email: 'MORE@x.org' } });
      assert.deepEqual([twice.status, twice.body], [400, { message: { email: ['has already been taken'] } }]);
      const bad = await server.api('POST /user/emails', { ...as(ann), json: { email: 'nonsense' } });
      assert.deepEqual(bad.body, { message: { email: ['is invalid'] } });
      const list = await server.must('GET /user/emails', as(ann));
      assert.deepEqual(
        list.map((row: { email: string }) => row.email),
        [ann.user.email, 'more@x.org'],
      );
      assert.deepEqual(await server.must(`GET /user/emails/${added.id}`, as(ann)), added);
      assert.equal((await server.api(`GET /users/${ann.user.id}/emails`, as(bob))).status, 403);
      const foreign = await server.api(`DELETE /user/emails/${added.id}`, as(bob));
      assert.deepEqual([foreign.status, foreign.body], [404, { message: '404 Email Not Found' }]);
      // An unconfirmed claim does not prevent the owner of an address from confirming it.
      const json = { email: 'more@x.org', skip_confirmation: true };
      await server.must(`POST /users/${bob.user.id}/emails`, { json });
      assert.equal((await server.api(`GET /user/emails/${added.id}`, as(ann))).status, 404);
      const [primary, second] = await server.must('GET /user/emails', as(bob));
      assert.equal((await server.api(`DELETE /user/emails/${primary.id}`, as(bob))).status, 400);
      await server.must(`PUT /users/${bob.user.id}`, { json: { public_email: 'more@x.org' } });
      assert.equal((await server.api(`DELETE /users/${bob.user.id}/emails/${second.id}`)).status, 204);
      assert.equal((await server.must('GET /user', as(bob))).public_email, null);
    });

    it('list followers and followed users', async () => {
      const follow = (verb: string) => server.api(`POST /users/${bob.user.id}/${verb}`, as(ann));
      const first = await follow('follow');
      assert.deepEqual([first.status, first.body.username], [201, bob.user.username]);
      assert.equal((await follow('follow')).status, 304);
      const seen = await server.must(`GET /users/${bob.user.id}`, as(ann));
      assert.deepEqual([seen.followers, seen.following, seen.is_followed], [1, 0, true]);
      const [follower] = await server.must(`GET /users/${bob.user.id}/followers`, as(ann));
      const [followee] = await server.must(`GET /users/${ann.user.id}/following`, as(ann));
      assert.deepEqual([follower.username, followee.username], [ann.user.username, bob.user.username]);
      assert.equal((await server.api(`GET /users/${bob.user.id}/followers`, as(null))).status, 403);
      assert.equal((await follow('unfollow')).status, 201);
      assert.equal((await follow('unfollow')).status, 304);
      assert.equal((await server.api(`POST /users/${ann.user.id}/follow`, as(ann))).status, 304);
      assert.equal((await server.api('POST /users/999999/follow', as(ann))).status, 404);
      await server.must(`PUT /users/${bob.user.id}`, { json: { private_profile: true } });
      assert.equal((await server.api(`GET /users/${bob.user.id}/followers`, as(ann))).status, 404);
    });

    it('read and update preferences', async () => {
      const usual = await server.must('GET /user/preferences', as(ann));
      assert.deepEqual(usual, {
        id: ann.user.id,
        user_id: ann.user.id,
        view_diffs_file_by_file: false,
        show_whitespace_in_diffs: true,
        pass_user_identities_to_ci_jwt: false,
        policy_advanced_editor: false,
      });
      const change = { ...as(ann), json: { view_diffs_file_by_file: true } };
      assert.deepEqual(await server.must('PUT /user/preferences', change), { ...usual, view_diffs_file_by_file: true });
      const none = await server.api('PUT /user/preferences', { ...as(ann), json: {} });
      assert.equal(none.status, 400);
      assert.match(none.body.error, /are missing, at least one parameter must be provided$/);
    });

    it('serve avatars publicly', async () => {
      const form = new FormData();
      form.set('avatar', new Blob([picture]), 'me at sea.png');
      const { avatar_url } = await server.must('PUT /user/avatar', { ...as(ann), body: form });
      assert.equal(avatar_url, `${server.url}/uploads/-/system/user/avatar/${ann.user.id}/me_at_sea.png`);
      const file = await fetch(avatar_url);
      assert.equal(file.headers.get('content-type'), 'image/png');
      assert.deepEqual(Buffer.from(await file.arrayBuffer()), picture);
      assert.equal((await fetch(avatar_url.replace('me_at', 'you_at'))).status, 404);
      const text = new FormData();
      text.set('avatar', new Blob(['<script>']), 'page.html');
      const refused = await server.api('PUT /user/avatar', { ...as(ann), body: text });
      assert.match(refused.body.message.avatar[0], /^file format is not supported\./);
      await server.must(`PUT /users/${ann.user.id}`, { json: { avatar: '' } });
      assert.match((await server.must('GET /user', as(ann))).avatar_url, /gravatar/);
      assert.equal((await fetch(avatar_url)).status, 404);
      const looked = await server.must('GET /avatar?email=Someone%40Example.com&size=32', as(null));
      assert.match(looked.avatar_url, /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?s=32&d=identicon$/);
    });

    it('list memberships for administrators and the user', async () => {
      const project = await addProject(server, bob, 'shared');
      await addMember(server, project, ann, 30);
      const call = `GET /users/${ann.user.id}/memberships`;
      assert.deepEqual(await server.must(call), [
        { source_id: project.id, source_name: 'shared', source_type: 'Project', access_level: 30 },
      ]);
      assert.deepEqual(await server.must(`${call}?type=Namespace`), []);
      assert.deepEqual((await server.api(`${call}?type=Group`)).body, { error: 'type does not have a valid value' });
      assert.equal((await server.api(call, as(ann))).status, 403);
      const counts = await server.must(`GET /users/${ann.user.id}/associations_count`, as(ann));
      assert.deepEqual([counts.groups_count, counts.projects_count], [0, 1]);
      assert.equal((await server.api(`GET /users/${ann.user.id}/associations_count`, as(bob))).status, 403);
      const waiting = () => server.must('GET /user_counts', as(ann));
      const none = { merge_requests: 0, assigned_merge_requests: 0, review_requested_merge_requests: 0 };
      assert.deepEqual(await waiting(), { ...none, assigned_issues: 0, todos: 0 });
      const issue = await server.must(`POST /projects/${project.id}/issues`, {
        ...as(bob),
        json: { title: 'For Ann', assignee_ids: [ann.user.id] },
      });
      assert.deepEqual(await waiting(), { ...none, assigned_issues: 1, todos: 1 });
      const own = await server.must(`GET /users/${bob.user.id}/associations_count`, as(bob));
      assert.deepEqual([own.issues_count, own.merge_requests_count], [1, 0]);
      await server.must(`PUT /projects/${project.id}/issues/${issue.iid}`, {
        ...as(bob),
        json: { state_event: 'close' },
      });
      assert.equal((await waiting()).assigned_issues, 0);
      assert.equal((await server.must(`GET /users/${ann.user.id}`)).highest_role, 30);
    });

    it('list the last activity', async () => {
      const at = Date.parse('2020-02-03T04:05:06Z');
      await server.db.write((trx) =>
        trx.updateTable('users').set({ last_activity_at: at }).where('id', '=', bob.user.id).execute(),
      );
      const [oldest] = await server.must('GET /user/activities?from=2020-01-01');
      const on = '2020-02-03';
      assert.deepEqual(oldest, { username: bob.user.username, last_activity_on: on, last_activity_at: on });
      const recent = await server.must('GET /user/activities');
      assert.ok(!recent.some((row: { username: string }) => row.username === bob.user.username));
      assert.equal((await server.api('GET /user/activities', as(ann))).status, 403);
    });
  });
});
