import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Person {
  id: number;
  username: string;
  token: string;
}
interface Row {
  id: number;
  access_level: number;
}

forEachEngine((engine) => {
  describe('members API', () => {
    let server: TestServer;
    let owner: Person;
    let maintainer: Person;
    let people: Person[];
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      [owner, maintainer, ...people] = (await Promise.all(
        ['owner', 'maintainer', 'ann', 'ben', 'cat', 'dan'].map((name) => addUser(server, name)),
      )) as [Person, Person, ...Person[]];
    });

    const person = (index: number) => people[index] as Person;
    /** Creates a group containing a project; both follow the same rules. */
    async function places(more: object = {}) {
      count += 1;
      const json = { name: `Group ${count}`, path: `group-${count}`, ...more };
      const group = await server.must('POST /groups', { token: owner.token, json });
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: `project-${count}`, namespace_id: group.id, visibility: group.visibility },
      });
      return { group, project, urls: [`/groups/${group.id}`, `/projects/${project.id}`] as const };
    }
    const add = (url: string, user: Person, access_level: number, token: string = owner.token, more: object = {}) =>
      server.api(`POST ${url}/members`, { token, json: { user_id: user.id, access_level, ...more } });
    const put = (url: string, user: Person, json: object, token: string = owner.token) =>
      server.api(`PUT ${url}/members/${user.id}`, { token, json });
    const remove = (url: string, user: Person, token: string = owner.token, query = '') =>
      server.api(`DELETE ${url}/members/${user.id}${query}`, { token });
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;
    const listed = (rows: Row[]) => rows.map(({ id, access_level }) => [id, access_level]);

    it('adds, reads, updates and removes members of groups and projects', async () => {
      for (const url of (await places()).urls) {
        const user = person(0);
        const added = await add(url, user, 30, owner.token, { expires_at: '2099-05-05' });
        assert.equal(added.status, 201, added.text);
        assert.deepEqual(
          [added.body.id, added.body.username, added.body.access_level, added.body.expires_at],
          [user.id, user.username, 30, '2099-05-05'],
        );
        assert.equal(added.body.created_by.id, owner.id);
        assert.equal(added.body.membership_state, 'active');
        assert.ok(!('email' in added.body));
        const again = await add(url, user, 20);
        assert.deepEqual([again.status, again.body], [409, { message: 'Member already exists' }]);
        const read = await server.must(`GET ${url}/members/${user.id}`, { token: user.token });
        assert.deepEqual(read, added.body);
        const changed = await put(url, user, { access_level: 20, expires_at: '' });
        assert.deepEqual([changed.status, changed.body.access_level, changed.body.expires_at], [200, 20, null]);
        assert.equal((await put(url, user, { access_level: 40 })).body.expires_at, null);
        assert.equal(await status(remove(url, user)), 204);
        const deleted = await server.api(`GET ${url}/members/${user.id}`, { token: owner.token });
        assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
        assert.deepEqual((await remove(url, user)).body, { message: '404 Not found' });
        assert.equal(await status(put(url, user, { access_level: 30 })), 404);
      }
    });

    it('shows e-mail addresses to administrators', async () => {
      const { group } = await places();
      const [member] = await server.must(`GET /groups/${group.id}/members?show_seat_info=true`);
      assert.match(member.email, /@example.com$/);
      assert.equal(member.is_using_seat, true);
    });

    const wrong: [object, number, object][] = [
      [
        {},
        400,
        { error: 'access_level is missing, user_id, username are missing, at least one parameter must be provided' },
      ],
      [{ access_level: 30, user_id: 1, username: 'x' }, 400, { error: 'user_id, username are mutually exclusive' }],
      [{ access_level: 'x', user_id: 1 }, 400, { error: 'access_level is invalid' }],
      [{ access_level: 35, user_id: 1 }, 400, { message: { access_level: ['is not included in the list'] } }],
      [{ access_level: 30, user_id: 999_999 }, 404, { message: '404 User Not Found' }],
      [{ access_level: 30, user_id: 'nobody' }, 404, { message: '404 User Not Found' }],
      [{ access_level: 30, username: 'nobody' }, 404, { message: '404 User Not Found' }],
      [
        { access_level: 30, user_id: 1, expires_at: '2001-01-01' },
        400,
        { message: { expires_at: ['cannot be a date in the past'] } },
      ],
      [{ access_level: 30, user_id: 1, expires_at: 'soon' }, 400, { error: 'expires_at is invalid' }],
    ];
    for (const [json, code, body] of wrong) {
      it(`rejects adding ${JSON.stringify(json)}`, async () => {
        for (const url of (await places()).urls) {
          const answer = await server.api(`POST ${url}/members`, { token: owner.token, json });
          assert.deepEqual([answer.status, answer.body], [code, body]);
        }
      });
    }

    it('allows minimal access in top-level groups only', async () => {
      const { group, project } = await places();
      const inner = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'inner', path: 'inner', parent_id: group.id },
      });
      assert.equal(await status(add(`/groups/${group.id}`, person(0), 5)), 201);
      assert.equal(await status(add(`/groups/${inner.id}`, person(1), 5)), 400);
      assert.equal(await status(add(`/projects/${project.id}`, person(1), 5)), 400);
      assert.equal(await status(server.api(`GET /groups/${group.id}`, { token: person(0).token })), 200);
      assert.equal(await status(server.api(`GET /projects/${project.id}`, { token: person(0).token })), 404);
    });

    it('adds members by username, and several at once', async () => {
      const [ann, ben, cat] = [person(0), person(1), person(2)];
      for (const url of (await places()).urls) {
        const byName = await server.api(`POST ${url}/members`, {
          token: owner.token,
          json: { username: ann.username.toUpperCase(), access_level: 40 },
        });
        assert.deepEqual([byName.status, byName.body.id], [201, ann.id]);
        const some = { user_id: `${ben.id}, ${cat.id}`, access_level: 40 };
        const many = await server.api(`POST ${url}/members`, { token: owner.token, json: some });
        assert.deepEqual([many.status, many.body], [201, { status: 'success' }]);
        const names = { username: `${ann.username},${ben.username},nobody`, access_level: 40 };
        const failed = await server.api(`POST ${url}/members`, { token: owner.token, json: names });
        assert.equal(failed.status, 201);
        assert.deepEqual(failed.body, {
          status: 'error',
          message:
            `${ann.username}: Member already exists, ${ben.username}: Member already exists, ` +
            'and nobody: User Not Found',
        });
        const ids = (await server.must(`GET ${url}/members`, { token: owner.token })).map((row: Row) => row.id);
        for (const each of [ann, ben, cat]) assert.ok(ids.includes(each.id));
      }
    });

    it('can be managed by owners in groups and by maintainers in projects', async () => {
      const { group, project } = await places();
      const [groupUrl, projectUrl] = [`/groups/${group.id}`, `/projects/${project.id}`];
      assert.equal(await status(add(groupUrl, maintainer, 40)), 201);
      assert.equal(await status(add(groupUrl, person(0), 10, maintainer.token)), 403);
      assert.equal(await status(add(projectUrl, person(0), 10, maintainer.token)), 201);
      assert.equal(await status(add(projectUrl, person(1), 40, maintainer.token)), 201);
      assert.equal(await status(add(projectUrl, person(2), 50, maintainer.token)), 403);
      assert.equal(await status(add(projectUrl, person(2), 15, maintainer.token)), 403);
      assert.equal(await status(add(projectUrl, person(2), 15)), 201);
      assert.equal(await status(put(projectUrl, person(2), { access_level: 20 }, maintainer.token)), 403);
      assert.equal(await status(remove(projectUrl, person(2), maintainer.token)), 403);
      assert.equal(await status(put(projectUrl, person(0), { access_level: 50 }, maintainer.token)), 403);
      assert.equal(await status(put(projectUrl, person(0), { access_level: 30 }, maintainer.token)), 200);
      assert.equal(await status(add(projectUrl, person(3), 10, person(0).token)), 403);
      assert.equal(await status(remove(projectUrl, person(1), person(0).token)), 403);
      assert.equal(await status(put(projectUrl, person(1), { access_level: 20 }, maintainer.token)), 200);
      assert.equal(await status(add(projectUrl, person(3), 50)), 201);
      assert.equal(await status(put(projectUrl, person(3), { access_level: 10 }, maintainer.token)), 403);
      assert.equal(await status(remove(projectUrl, person(3), maintainer.token)), 403);
      assert.equal(await status(remove(projectUrl, person(1), person(1).token)), 204);
    });

    it('requires authentication and read access', async () => {
      const { urls } = await places();
      const open = await places({ visibility: 'public' });
      for (const [index, url] of urls.entries()) {
        for (const call of ['GET :/members', 'GET :/members/all', 'GET :/members/1', 'POST :/members']) {
          assert.equal(await status(server.api(call.replace(':', url), { token: null })), 401, call);
          assert.equal(await status(server.api(call.replace(':', open.urls[index] ?? ''), { token: null })), 401, call);
          const hidden = await server.api(call.replace(':', url), {
            token: person(3).token,
            ...(call.startsWith('POST') ? { json: { user_id: person(3).id, access_level: 50 } } : {}),
          });
          assert.equal(hidden.status, 404, call);
        }
        const seen = await server.api(`GET ${open.urls[index]}/members`, { token: person(3).token });
        assert.equal(seen.status, 200);
      }
    });

    it('rejects roles below the inherited one', async () => {
      const { group, project } = await places();
      await add(`/groups/${group.id}`, person(0), 30);
      const inner = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'inner', path: 'inner', parent_id: group.id },
      });
      const message = {
        access_level: [`should be greater than or equal to Developer inherited membership from group ${group.name}`],
      };
      for (const url of [`/projects/${project.id}`, `/groups/${inner.id}`]) {
        const low = await add(url, person(0), 20);
        assert.deepEqual([low.status, low.body], [400, { message }]);
        assert.equal(await status(add(url, person(0), 30)), 201);
        assert.deepEqual((await put(url, person(0), { access_level: 10 })).body, { message });
        assert.equal(await status(put(url, person(0), { access_level: 40 })), 200);
      }
    });

    it('keeps the last owner', async () => {
      const { group } = await places();
      const url = `/groups/${group.id}`;
      assert.equal(await status(remove(url, owner, owner.token)), 403);
      assert.equal(await status(put(url, owner, { access_level: 40 })), 403);
      assert.equal(await status(remove(url, owner, undefined)), 403);
      await add(url, person(0), 50);
      await server.must(`POST /users/${person(0).id}/block`);
      assert.equal(await status(remove(url, owner)), 403);
      await server.must(`POST /users/${person(0).id}/unblock`);
      const [one, two] = await Promise.all([
        put(url, person(0), { access_level: 40 }, owner.token),
        put(url, owner, { access_level: 40 }, person(0).token),
      ]);
      assert.deepEqual([one.status, two.status].sort(), [200, 403]);
    });

    it('keeps the owner of a personal project', async () => {
      const project = await server.must('POST /projects', { token: owner.token, json: { name: `own-${count}` } });
      const url = `/projects/${project.id}`;
      const rows = await server.must(`GET ${url}/members`, { token: owner.token });
      assert.deepEqual(listed(rows), [[owner.id, 50]]);
      assert.equal(await status(remove(url, owner)), 403);
      assert.equal(await status(put(url, owner, { access_level: 40 })), 403);
      await add(url, person(0), 50);
      assert.equal(await status(remove(url, owner, person(0).token)), 403);
    });

    it('removes memberships in subresources together with the membership', async () => {
      const { group, project } = await places();
      await add(`/groups/${group.id}`, person(0), 20);
      await add(`/projects/${project.id}`, person(0), 30);
      assert.equal(await status(remove(`/groups/${group.id}`, person(0), owner.token, '?skip_subresources=true')), 204);
      assert.equal(await status(server.api(`GET /projects/${project.id}`, { token: person(0).token })), 200);
      await add(`/groups/${group.id}`, person(0), 20);
      assert.equal(await status(remove(`/groups/${group.id}`, person(0))), 204);
      assert.equal(await status(server.api(`GET /projects/${project.id}`, { token: person(0).token })), 404);
    });

    it('ignores expired memberships and then deletes them', async () => {
      const { group, project } = await places();
      const url = `/groups/${group.id}`;
      const today = new Date().toISOString().slice(0, 10);
      const added = await add(url, person(0), 30, owner.token, { expires_at: today });
      assert.deepEqual([added.status, added.body.expires_at], [201, today]);
      assert.equal(await status(server.api(`GET /projects/${project.id}`, { token: person(0).token })), 404);
      const ids = async (what: string) =>
        (await server.must(`GET ${url}/members${what}`, { token: owner.token })).map((row: Row) => row.id);
      assert.deepEqual([await ids(''), await ids('/all')], [[owner.id], [owner.id]]);
      assert.equal(await status(server.api(`GET ${url}/members/${person(0).id}`, { token: owner.token })), 404);
      assert.equal(await status(add(url, person(0), 30)), 201);
      await server.db.write((trx) =>
        trx.updateTable('members').set({ expires_at: 1 }).where('user_id', '=', person(0).id).execute(),
      );
      await server.db.write((trx) =>
        trx.updateTable('recurring_jobs').set({ next_run_at: 0 }).where('name', '=', 'members.expired').execute(),
      );
      await server.running.services.queue.drain();
      const expired = await server.db.read.selectFrom('members').select('id').where('expires_at', '=', 1).execute();
      assert.deepEqual(expired, []);
    });

    it('respects membership lock and allowed e-mail domains', async () => {
      const { group, project } = await places();
      await server.must(`PUT /groups/${group.id}`, { json: { membership_lock: true } });
      assert.equal(await status(add(`/projects/${project.id}`, person(0), 30)), 405);
      assert.equal(await status(add(`/groups/${group.id}`, person(0), 30)), 201);
      await server.must(`PUT /groups/${group.id}`, { json: { allowed_email_domains_list: 'acme.test' } });
      const stranger = await add(`/groups/${group.id}`, person(1), 30);
      assert.equal(stranger.status, 400);
      // The message must not reveal the private e-mail address.
      assert.equal(stranger.body.message.user[0], "email does not match the allowed domain of 'acme.test'");
    });

    it('respects the group rules for imports, access requests and invitations', async () => {
      const { group, project, urls } = await places({ visibility: 'public' });
      const source = (await places()).project;
      assert.equal(await status(add(`/projects/${source.id}`, person(0), 30)), 201);
      const importing = `POST /projects/${project.id}/import_project_members/${source.id}`;
      for (const url of urls) await server.must(`POST ${url}/access_requests`, { token: person(1).token });
      const approve = (url: string) =>
        status(server.api(`PUT ${url}/access_requests/${person(1).id}/approve`, { token: owner.token }));
      const invite = async (url: string, name: string) =>
        (await server.must(`POST ${url}/invitations`, { json: { email: name, access_level: 10 } })).status;
      await server.must(`PUT /groups/${group.id}`, { json: { allowed_email_domains_list: 'acme.test' } });
      for (const url of urls) {
        assert.equal(await approve(url), 400);
        assert.deepEqual([await invite(url, 'x@evil.test'), await invite(url, 'x@acme.test')], ['error', 'success']);
      }
      await server.must(importing, { token: owner.token });
      const imported = await server.api(`GET /projects/${project.id}/members/${person(0).id}`);
      assert.equal(imported.status, 404);
      await server.must(`PUT /groups/${group.id}`, { json: { allowed_email_domains_list: '', membership_lock: true } });
      assert.equal(await status(server.api(importing, { token: owner.token })), 405);
      assert.equal(await approve(urls[1]), 405);
      assert.equal(await invite(urls[1], 'y@acme.test'), 'error');
      assert.equal(await approve(urls[0]), 201);
    });
  });
});
