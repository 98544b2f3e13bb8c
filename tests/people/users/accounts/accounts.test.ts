import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../../../support/at-once.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { addPerson, addProject, addToken, type Person } from '../../../support/scene.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

forEachEngine((engine) => {
  describe('accounts', () => {
    let server: TestServer;
    let ann: Person;
    let count = 0;
    const wanted = (more: object = {}) => {
      count += 1;
      const username = `new-${count}`;
      return { username, name: 'New', email: `${username}@example.com`, force_random_password: true, ...more };
    };
    const create = (more: object = {}) => server.must('POST /users', { json: wanted(more) });
    const refusal = async (call: string, json: object, token?: string | null) => {
      const answer = await server.api(call, { json, ...(token === undefined ? {} : { token }) });
      return [answer.status, answer.body];
    };

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
    });

    it('are created by administrators with all attributes', async () => {
      const created = await create({
        admin: true,
        external: true,
        bio: 'Hi',
        location: 'Here',
        social_a: 'in/me',
        twitter: '@me',
        social_c: '12345678901234567',
        github: 'me',
        organization: 'Acme',
        job_title: 'Engineer',
        pronouns: 'they',
        website_url: 'https://example.com',
        can_create_group: false,
        private_profile: true,
        projects_limit: 3,
        note: 'a note',
        commit_email: '_private',
        provider: 'github',
        extern_uid: '77',
        skip_confirmation: true,
        view_diffs_file_by_file: true,
      });
      const { linkedin, social_b, discord, social_d, is_admin, external, note, work_information, identities } = created;
      assert.deepEqual(
        { linkedin, social_b, discord, social_d, is_admin, external, note, work_information, identities },
        {
          linkedin: 'in/me',
          social_b: '@me',
          discord: '12345678901234567',
          social_d: 'me',
          is_admin: true,
          external: true,
          note: 'a note',
          work_information: 'Engineer at Acme',
          identities: [{ provider: 'github', extern_uid: '77', saml_provider_id: null }],
        },
      );
      assert.equal(created.commit_email, `${created.id}-${created.username}@users.noreply.127.0.0.1`);
      assert.equal(created.created_by.username, 'root');
      assert.ok(created.confirmed_at);
      assert.equal((await create()).confirmed_at, null);
      assert.equal((await server.must(`GET /users/${created.id}`)).highest_role, 0);
    });

    it('cannot be created by other users', async () => {
      assert.deepEqual(await refusal('POST /users', wanted(), ann.token), [403, { message: '403 Forbidden' }]);
      assert.deepEqual(await refusal('POST /users', wanted(), null), [401, { message: '401 Unauthorized' }]);
    });

    it('require a name, an e-mail address and a password', async () => {
      assert.deepEqual(await refusal('POST /users', {}), [
        400,
        {
          error:
            'email is missing, name is missing, username is missing, password, reset_password, force_random_password ' +
            'are missing, at least one parameter must be provided',
        },
      ]);
      assert.deepEqual(await refusal('POST /users', wanted({ password: 'short', force_random_password: undefined })), [
        400,
        { message: { password: ['is too short (minimum is 8 characters)'] } },
      ]);
      await create({ password: 'long enough 4 you', force_random_password: undefined });
    });

    it('have unique addresses and usernames, shared with groups', async () => {
      const known = await create({ skip_confirmation: true });
      const taken = { message: 'Email has already been taken' };
      assert.deepEqual(await refusal('POST /users', wanted({ email: known.email.toUpperCase(), name: '' })), [
        409,
        taken,
      ]);
      const name = { message: 'Username has already been taken' };
      assert.deepEqual(await refusal('POST /users', wanted({ username: known.username.toUpperCase() })), [409, name]);
      await server.must('POST /groups', { json: { name: 'Taken', path: 'taken-path' } });
      const path = { message: { username: ['has already been taken'] } };
      assert.deepEqual(await refusal('POST /users', wanted({ username: 'Taken-Path' })), [400, path]);
      await server.must(`POST /users/${known.id}/emails`, { json: { email: 'second@x.org', skip_confirmation: true } });
      assert.deepEqual(await refusal('POST /users', wanted({ email: 'second@x.org' })), [409, taken]);
      assert.deepEqual(await refusal('POST /users', wanted({ public_email: 'else@x.org' })), [
        400,
        { message: { public_email: ['is not an email you own'] } },
      ]);
    });

    it('are created once when requested concurrently', async () => {
      const json = wanted();
      const answers = await Promise.all([1, 2, 3, 4].map(() => server.api('POST /users', { json })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });

    it('change their username and the paths of their projects', async () => {
      const person = await addPerson(server, 'mover');
      const project = await addProject(server, person, 'thing', 'public');
      const { id, username } = person.user;
      const changed = await server.must(`PUT /users/${id}`, { json: { username: 'moved-on', name: 'Moved On' } });
      assert.equal(changed.web_url, `${server.url}/moved-on`);
      const found = await server.must(`GET /projects/${encodeURIComponent('moved-on/thing')}`, { token: null });
      assert.deepEqual([found.id, found.name_with_namespace], [project.id, 'Moved On / thing']);
      const old = await server.api(`GET /projects/${encodeURIComponent(`${username}/thing`)}`);
      assert.equal(old.status, 301);
      const taken = { message: 'Username has already been taken' };
      assert.deepEqual(await refusal(`PUT /users/${id}`, { username: ann.user.username }), [409, taken]);
      assert.deepEqual(await refusal(`PUT /users/${id}`, { username: 'api' }), [
        400,
        { message: { username: ['api is a reserved name'] } },
      ]);
      await server.must(`PUT /users/${id}`, { json: { username: 'Moved-On' } });
    });

    it('confirm a new e-mail address unless skipped', async () => {
      const { user } = await addPerson(server, 'mail');
      const first = await server.must(`PUT /users/${user.id}`, { json: { email: 'later@x.org' } });
      assert.equal(first.email, user.email);
      const json = { email: 'now@x.org', skip_reconfirmation: true, public_email: 'now@x.org' };
      const second = await server.must(`PUT /users/${user.id}`, { json });
      assert.deepEqual([second.email, second.public_email], ['now@x.org', 'now@x.org']);
      const emails = await server.must(`GET /users/${user.id}/emails`);
      assert.deepEqual(
        emails.map(({ email }: { email: string }) => email),
        [user.email, 'now@x.org'],
      );
    });

    it('are unchanged by an empty update', async () => {
      const { id } = await create({ bio: 'Hi' });
      assert.equal((await server.must(`PUT /users/${id}`, { json: {} })).bio, 'Hi');
    });

    it('clear profile fields by null and by a blank', async () => {
      const lines = {
        bio: 'Hi',
        location: 'Here',
        linkedin: 'in/me',
        organization: 'Acme',
        website_url: 'https://x.org',
      };
      const unchanged = { job_title: 'Engineer', pronouns: 'they', note: 'a note' };
      const { id } = await create({ ...lines, ...unchanged });
      for (const blank of [null, '']) {
        await server.must(`PUT /users/${id}`, { json: { ...lines, ...unchanged } });
        const json = Object.fromEntries(Object.keys({ ...lines, ...unchanged }).map((key) => [key, blank]));
        const changed = await server.must(`PUT /users/${id}`, { json });
        for (const key of Object.keys(lines)) assert.equal(changed[key], '', key);
        for (const key of Object.keys(unchanged)) assert.equal(changed[key], null, key);
      }
    });

    it('must replace a password set by an administrator', async () => {
      const person = await addPerson(server, 'forgetful');
      await server.must(`PUT /users/${person.user.id}`, { json: { password: 'something else 4 you' } });
      const { status, body } = await server.api('GET /user', { token: person.token });
      assert.equal(status, 403);
      assert.match(body.message, /^403 Forbidden - Your password expired\./);
    });

    it('are blocked and unblocked immediately', async () => {
      const person = await addPerson(server, 'rowdy');
      const post = async (verb: string) => {
        const { status, text } = await server.api(`POST /users/${person.user.id}/${verb}`);
        return `${status} ${text}`;
      };
      assert.equal(await post('block'), '201 true');
      assert.equal(await post('block'), '201 null');
      assert.equal((await server.api('GET /user', { token: person.token })).status, 403);
      assert.equal(await post('unblock'), '201 true');
      assert.equal(await post('unblock'), '201 false');
      await server.must('GET /user', { token: person.token });
      assert.equal(await post('ban'), '201 true');
      assert.equal(await post('unban'), '201 true');
      const { status } = await server.api(`POST /users/${person.user.id}/block`, { token: ann.token });
      assert.equal(status, 403);
      const missing = await server.api('POST /users/999999/block');
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 User Not Found' }]);
    });

    it('are approved or rejected while pending', async () => {
      const waiting = () => addPerson(server, 'waiting', { columns: { state: 'blocked_pending_approval' } });
      const [first, second] = [await waiting(), await waiting()];
      const approved = await server.api(`POST /users/${first.user.id}/approve`);
      assert.deepEqual([approved.status, approved.body], [201, { message: 'Success' }]);
      const rejected = await server.api(`POST /users/${second.user.id}/reject`);
      assert.deepEqual([rejected.status, rejected.body], [200, { message: 'Success' }]);
      assert.equal((await server.api(`GET /users/${second.user.id}`)).status, 404);
      assert.deepEqual(await refusal(`POST /users/${first.user.id}/reject`, {}), [
        409,
        { message: 'User does not have a pending request' },
      ]);
    });

    it('lose their second factor on request', async () => {
      const person = await addPerson(server, 'careful', { columns: { two_factor_enabled: 1 } });
      const call = `PATCH /users/${person.user.id}/disable_two_factor`;
      assert.equal((await server.api(call)).status, 204);
      assert.deepEqual(await refusal(call, {}), [
        400,
        { message: '400 Bad request - Two-factor authentication is not enabled for this user' },
      ]);
      const own = await refusal('PATCH /users/1/disable_two_factor', {});
      assert.equal(own[0], 403);
    });

    it('lose an identity', async () => {
      const { id } = await create({ provider: 'github', extern_uid: 'x1' });
      assert.equal((await server.api(`DELETE /users/${id}/identities/github`)).status, 204);
      assert.deepEqual(await refusal(`DELETE /users/${id}/identities/github`, {}), [
        404,
        { message: '404 Identity Not Found' },
      ]);
    });

    it('change their state once when requested concurrently', async () => {
      await inRounds(async () => {
        const { id } = await create();
        const answers = await atOnce(4, (index) =>
          server.api(`POST /users/${id}/${index % 2 === 0 ? 'ban' : 'block'}`),
        );
        assert.equal(answers.filter(({ body }) => body === true).length, 1);
      });
    });

    it('never share an e-mail address', async () => {
      await inRounds(async (round) => {
        const [one, other] = [await create(), await create()];
        const email = `shared-${round}@example.com`;
        const add = (id: number) =>
          server.api(`POST /users/${id}/emails`, { json: { email, skip_confirmation: true } });
        const answers = await Promise.all([
          ...[add(one.id), add(other.id)],
          server.api('POST /users', { json: wanted({ email }) }),
          server.api(`PUT /users/${other.id}`, { json: { email, skip_reconfirmation: true } }),
        ]);
        const { db } = server;
        const first = await db.read.selectFrom('users').select('id').where('email', '=', email).execute();
        const further = await db.read.selectFrom('emails').select('user_id as id').where('email', '=', email).execute();
        const owners = new Set([...first, ...further].map(({ id }) => id));
        assert.equal(owners.size, 1, JSON.stringify(statuses(answers)));
      });
    });

    it('leave no group without owner when deleted concurrently', async () => {
      await inRounds(async (round) => {
        const owners = await atOnce(3, () => addPerson(server, 'owner'));
        // One of them is deleted in the background.
        if (round % 2 === 0) await addProject(server, owners[0] as Person, 'own');
        const json = { name: 'theirs', path: `theirs-${round}` };
        const group = await server.must('POST /groups', { token: owners[0]?.token ?? null, json });
        for (const { user } of owners.slice(1)) {
          await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level: 50 } });
        }
        const answers = await Promise.all(owners.map(({ user }) => server.api(`DELETE /users/${user.id}`)));
        assert.deepEqual(statuses(answers), { 204: 2, 409: 1 });
      });
    });

    it('can be deleted concurrently', async () => {
      // Each round starts without a ghost user, so that the deletions race to create it.
      for (let round = 0; round < 10; round++) {
        await server.running.services.db.write((trx) => trx.deleteFrom('users').where('kind', '=', 'ghost').execute());
        const people = await Promise.all([1, 2, 3, 4].map(() => addPerson(server, 'flock')));
        const answers = await Promise.all(people.map(({ user }) => server.api(`DELETE /users/${user.id}`)));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [204, 204, 204, 204],
        );
        const ghosts = await server.must('GET /users?exclude_humans=true&without_project_bots=true');
        assert.deepEqual(
          ghosts.map(({ username }: { username: string }) => username),
          ['ghost'],
        );
      }
    });

    it('are deleted with everything that belongs to them', async () => {
      const person = await addPerson(server, 'leaver');
      await server.must(`PUT /users/${person.user.id}/custom_attributes/x`, { json: { value: 'y' } });
      assert.equal((await server.api(`DELETE /users/${person.user.id}`, { token: ann.token })).status, 403);
      assert.equal((await server.api(`DELETE /users/${person.user.id}`)).status, 204);
      assert.equal((await server.api('GET /user', { token: person.token })).status, 401);
      assert.equal((await server.api(`GET /users/${person.user.id}`)).status, 404);
      // The username is available again.
      await create({ username: person.user.username });
      const [ghost] = await server.must('GET /users?exclude_humans=true&without_project_bots=true');
      assert.deepEqual([ghost.username, ghost.name], ['ghost', 'Ghost User']);
      assert.equal((await server.api(`DELETE /users/${ghost.id}`)).status, 403);
    });

    it('are deleted in the background if they have projects', async () => {
      const person = await addPerson(server, 'builder');
      const project = await addProject(server, person, 'thing');
      assert.equal((await server.api(`DELETE /users/${person.user.id}`)).status, 204);
      await server.running.services.queue.drain();
      assert.equal((await server.api(`GET /users/${person.user.id}`)).status, 404);
      assert.equal((await server.api(`GET /projects/${project.id}`)).status, 404);
    });

    it('are kept while they are the sole owner of a group, unless hard-deleted', async () => {
      const person = await addPerson(server, 'owner');
      const group = await server.must('POST /groups', {
        token: person.token,
        json: { name: 'Own', path: 'own-group' },
      });
      const call = `DELETE /users/${person.user.id}`;
      assert.deepEqual(await refusal(call, {}), [
        409,
        { message: 'User cannot be removed while is the sole-owner of a group' },
      ]);
      assert.equal((await server.api(`${call}?hard_delete=true`)).status, 204);
      await server.running.services.queue.drain();
      assert.equal((await server.api(`GET /groups/${group.id}`)).status, 404);
      assert.equal((await server.api(`GET /users/${person.user.id}`)).status, 404);
    });

    it('are shown completely to their user and partially to others', async () => {
      const hermit = await addPerson(server, 'hermit', { columns: { private_profile: 1 } });
      const seen = await server.must(`GET /users/${hermit.user.id}`, { token: ann.token });
      for (const key of ['created_at', 'followers', 'following', 'is_followed', 'email'])
        assert.ok(!(key in seen), key);
      const open = await server.must(`GET /users/${ann.user.id}`, { token: hermit.token });
      assert.ok('created_at' in open && !('email' in open) && !('is_admin' in open));
      const own = await server.must('GET /user', { token: hermit.token });
      assert.ok('created_at' in own && own.email === hermit.user.email && !('is_admin' in own));
      assert.equal((await server.must('GET /user')).is_admin, true);
      const reader = await addToken(server, hermit.user, ['read_user']);
      await server.must('GET /user', { token: reader });
      const stranger = await server.api(`GET /users/${ann.user.id}`, { token: null });
      assert.deepEqual([stranger.status, stranger.body], [403, { message: '403 Forbidden - Not authorized!' }]);
      const unknown = await server.api('GET /users/ann');
      assert.deepEqual([unknown.status, unknown.body], [404, { error: '404 Not Found' }]);
    });
  });
});
