import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inRounds } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Person {
  id: number;
  username: string;
  token: string;
}

forEachEngine((engine) => {
  describe('becoming a member', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let places: string[];

    before(async () => {
      server = await startTestServer(engine);
      [owner, guest] = await Promise.all([addUser(server, 'owner'), addUser(server, 'guest')]);
      const open = { visibility: 'public' };
      const json = { name: 'open', path: 'open', ...open };
      const group = await server.must('POST /groups', { token: owner.token, json });
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'it', namespace_id: group.id, ...open },
      });
      places = [`/projects/${project.id}`, `/groups/${group.id}`];
    });

    const call = (line: string, json?: object, token: string | null = owner.token) =>
      server.api(line, json ? { token, json } : { token });

    it('accepts an invitation when an account appears at the same time', async () => {
      const place = places[1] as string;
      await inRounds(async (round) => {
        const username = `appears-${round}`;
        const email = `${username}@example.org`;
        const json = { username, name: username, email, force_random_password: true, skip_confirmation: true };
        const [user] = await Promise.all([
          server.must('POST /users', { json }),
          call(`POST ${place}/invitations`, { email, access_level: 30 }),
        ]);
        assert.equal((await call(`GET ${place}/members/${user.id}`)).status, 200);
        assert.deepEqual((await call(`GET ${place}/invitations?query=${username}`)).body, []);
      });
    });

    it('answers an access request only once', async () => {
      for (const place of places) {
        await inRounds(async () => {
          const asking = await addUser(server, 'asking');
          await server.must(`POST ${place}/access_requests`, { token: asking.token });
          const answers = await Promise.all([
            call(`PUT ${place}/access_requests/${asking.id}/approve`, {}),
            call(`DELETE ${place}/access_requests/${asking.id}`),
          ]);
          assert.equal(answers.filter(({ status }) => status < 300).length, 1);
          const isMember = (await call(`GET ${place}/members/${asking.id}`)).status === 200;
          assert.equal(isMember, (answers[0]?.status ?? 0) < 300);
        }, 5);
      }
    });

    it('invites an e-mail address', async () => {
      for (const place of places) {
        const email = 'New.Face@example.org';
        const params = { email, access_level: 30, expires_at: '2099-01-01' };
        const sent = await call(`POST ${place}/invitations`, params);
        assert.deepEqual([sent.status, sent.body], [201, { status: 'success' }]);
        const [waiting, ...rest] = await server.must(`GET ${place}/invitations?query=new.face`, { token: owner.token });
        assert.deepEqual(rest, []);
        assert.deepEqual(
          [waiting.invite_email, waiting.access_level, waiting.expires_at, waiting.created_by_name],
          ['new.face@example.org', 30, '2099-01-01', owner.username],
        );
        assert.ok(waiting.invite_token);
        const path = `${place}/invitations/${encodeURIComponent(email)}`;
        const changed = await call(`PUT ${path}`, { access_level: 20, expires_at: '' });
        assert.deepEqual([changed.status, changed.body.access_level, changed.body.expires_at], [200, 20, null]);
        assert.equal((await call(`DELETE ${path}`)).status, 204);
        assert.deepEqual((await call(`DELETE ${path}`)).body, { message: '404 Not found' });
        assert.equal((await call(`PUT ${path}`, { access_level: 20 })).status, 404);
      }
    });

    it('replaces an expired invitation', async () => {
      for (const place of places) {
        const email = 'late@example.org';
        await call(`POST ${place}/invitations`, { email, access_level: 30 });
        const ended = { expires_at: Date.now() - 1000 };
        await server.db.write((trx) =>
          trx.updateTable('member_invitations').set(ended).where('email', '=', email).execute(),
        );
        assert.deepEqual((await call(`GET ${place}/invitations`)).body, []);
        assert.equal((await call(`DELETE ${place}/invitations/${email}`)).status, 404);
        const again = await call(`POST ${place}/invitations`, { email, access_level: 20 });
        assert.deepEqual(again.body, { status: 'success' });
        assert.equal((await call(`DELETE ${place}/invitations/${email}`)).status, 204);
      }
    });

    it('adds an existing user who is invited', async () => {
      for (const place of places) {
        const friend = await addUser(server, 'friend');
        const other = await addUser(server, 'other');
        const email = `${friend.username}@example.com`;
        const both = { email, user_id: `${other.id}`, access_level: 30 };
        assert.deepEqual((await call(`POST ${place}/invitations`, both)).body, { status: 'success' });
        for (const { id } of [friend, other]) {
          assert.equal((await server.must(`GET ${place}/members/${id}`, { token: owner.token })).access_level, 30);
        }
        const again = await call(`POST ${place}/invitations`, { ...both, user_id: '999999' });
        assert.deepEqual(again.body.message, { 999999: 'User Not Found' });
      }
    });

    it('changes the role of a member or invited address that is invited again', async () => {
      for (const place of places) {
        const member = await addUser(server, 'member');
        const email = 'twice@example.org';
        const params = { email, user_id: `${member.id}`, access_level: 20, expires_at: '2099-01-01' };
        assert.deepEqual((await call(`POST ${place}/invitations`, params)).body, { status: 'success' });
        const { expires_at: _, ...without } = { ...params, access_level: 40 };
        const second = await call(`POST ${place}/invitations`, without);
        assert.deepEqual([second.status, second.body], [201, { status: 'success' }]);
        const changed = await server.must(`GET ${place}/members/${member.id}`, { token: owner.token });
        assert.deepEqual([changed.access_level, changed.expires_at], [40, null]);
        const waiting = await server.must(`GET ${place}/invitations?query=${email}`, { token: owner.token });
        assert.deepEqual(
          waiting.map((one: { access_level: number; expires_at: string }) => [one.access_level, one.expires_at]),
          [[40, null]],
        );
        assert.equal((await call(`DELETE ${place}/invitations/${email}`)).status, 204);
      }
    });

    it('does not demote the last owner by an invitation', async () => {
      const [, place] = places;
      const demoting = await call(`POST ${place}/invitations`, { user_id: `${owner.id}`, access_level: 10 });
      assert.deepEqual(demoting.body, {
        status: 'error',
        message: { [owner.id]: 'not authorized to update member' },
      });
    });

    it('rejects all invitations if one address is invalid', async () => {
      for (const place of places) {
        for (const email of [
          ['sound@example.org', 'not-an-address'],
          'sound@example.org,nonsense@',
          ['sound@example.org', ''],
        ]) {
          const refused = await call(`POST ${place}/invitations`, { email, access_level: 30 });
          assert.deepEqual([refused.status, refused.body], [400, { error: 'email contains an invalid email address' }]);
        }
        for (const nobody of [{}, { email: '' }, { user_id: '' }, { email: '', user_id: [] }]) {
          const refused = await call(`POST ${place}/invitations`, { ...nobody, access_level: 30 });
          const message = '400 Bad request - Must provide either email or user_id as a parameter';
          assert.deepEqual([refused.status, refused.body], [400, { message }]);
        }
        assert.deepEqual((await call(`GET ${place}/invitations?query=sound`)).body, []);
      }
    });

    it('limits the number of users per request', async () => {
      const many = Array.from({ length: 101 }, (_, each) => `many${each}@example.org`);
      const message = '400 Bad request - Too many users specified (limit is 100)';
      for (const place of places) {
        const refused = await call(`POST ${place}/invitations`, { email: many.join(','), access_level: 30 });
        assert.deepEqual([refused.status, refused.body], [400, { message }]);
        const numbers = many.map((_, each) => each + 1000).join(',');
        const added = await call(`POST ${place}/members`, { user_id: numbers, access_level: 30 });
        assert.deepEqual([added.status, added.body], [400, { message }]);
        assert.deepEqual((await call(`GET ${place}/invitations?query=many`)).body, []);
      }
    });

    it('does not admit a bot of another project by its address', async () => {
      const json = {
        name: 'bot',
        scopes: ['api'],
        expires_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
      };
      const elsewhere = await server.must('POST /projects', { json: { name: 'elsewhere' } });
      const { user_id } = await server.must(`POST /projects/${elsewhere.id}/access_tokens`, { json });
      const bot = await server.db.read
        .selectFrom('users')
        .select('email')
        .where('id', '=', user_id)
        .executeTakeFirstOrThrow();
      for (const place of places) {
        const refused = await call(`POST ${place}/invitations`, { email: bot.email, access_level: 30 });
        assert.deepEqual(refused.body, {
          status: 'error',
          message: { [bot.email]: 'User project bots cannot be added to other groups / projects' },
        });
        assert.deepEqual((await call(`GET ${place}/invitations`)).body, []);
      }
    });

    it('rejects an update without attributes', async () => {
      for (const place of places) {
        const email = 'unchanged@example.org';
        await call(`POST ${place}/invitations`, { email, access_level: 30 });
        const none = await call(`PUT ${place}/invitations/${email}`, {});
        assert.deepEqual([none.status, none.body], [400, { message: '400 Bad request' }]);
        assert.equal((await call(`DELETE ${place}/invitations/${email}`)).status, 204);
      }
    });

    it('accepts invitations when an e-mail address is confirmed', async () => {
      const email = 'Newcomer@elsewhere.example';
      for (const place of places) await call(`POST ${place}/invitations`, { email, access_level: 20 });
      const account = {
        username: 'newcomer',
        name: 'Newcomer',
        email: email.toLowerCase(),
        password: 'long enough 4 you',
      };
      const newcomer = await server.must('POST /users', { json: { ...account, skip_confirmation: true } });
      for (const place of places) {
        const member = await server.must(`GET ${place}/members/${newcomer.id}`, { token: owner.token });
        assert.equal(member.access_level, 20);
        assert.deepEqual(await server.must(`GET ${place}/invitations?query=newcomer`, { token: owner.token }), []);
      }
    });

    it('restricts invitations to users who manage members', async () => {
      for (const place of places) {
        const params = { email: 'x@example.org', access_level: 10 };
        assert.equal((await call(`POST ${place}/invitations`, params, guest.token)).status, 403);
        assert.equal((await call(`GET ${place}/invitations`, undefined, guest.token)).status, 403);
        assert.equal((await call(`GET ${place}/invitations`, undefined, null)).status, 401);
        assert.equal((await call(`GET ${place}/access_requests`, undefined, guest.token)).status, 403);
        const missing = await call(`POST ${place}/invitations`, {});
        assert.deepEqual(missing.body, {
          error: 'access_level is missing',
        });
        const level = await call(`POST ${place}/invitations`, { email: 'x@y.z', access_level: 7 });
        assert.deepEqual(level.body, { error: 'access_level does not have a valid value' });
      }
    });

    it('supports access requests', async () => {
      for (const place of places) {
        const { id, token } = await addUser(server, 'asker');
        const requested = await call(`POST ${place}/access_requests`, undefined, token);
        assert.equal(requested.status, 201);
        assert.equal(requested.body.id, id);
        assert.ok(requested.body.requested_at);
        assert.equal((await call(`POST ${place}/access_requests`, undefined, token)).status, 400);
        const list = await server.must(`GET ${place}/access_requests`, { token: owner.token });
        assert.deepEqual(list, [requested.body]);
        assert.equal((await call(`PUT ${place}/access_requests/${id}/approve`, {}, token)).status, 403);
        const granted = await call(`PUT ${place}/access_requests/${id}/approve`);
        assert.deepEqual([granted.status, granted.body.id, granted.body.access_level], [201, id, 30]);
        assert.equal((await call(`PUT ${place}/access_requests/${id}/approve`)).status, 404);
        assert.deepEqual(await server.must(`GET ${place}/access_requests`, { token: owner.token }), []);
        assert.equal((await call(`POST ${place}/access_requests`, undefined, token)).status, 403);
      }
    });

    it('supports denying and withdrawing access requests', async () => {
      for (const place of places) {
        const { id, token } = await addUser(server, 'asker');
        await call(`POST ${place}/access_requests`, undefined, token);
        assert.equal((await call(`DELETE ${place}/access_requests/${id}`, undefined, guest.token)).status, 403);
        assert.equal((await call(`DELETE ${place}/access_requests/${id}`, undefined, token)).status, 204);
        assert.equal((await call(`DELETE ${place}/access_requests/${id}`)).status, 404);
        await call(`POST ${place}/access_requests`, undefined, token);
        assert.equal((await call(`DELETE ${place}/access_requests/${id}`)).status, 204);
        await call(`POST ${place}/access_requests`, undefined, token);
        await server.must(`POST ${place}/members`, { json: { user_id: id, access_level: 10 } });
        assert.deepEqual(await server.must(`GET ${place}/access_requests`, { token: owner.token }), []);
      }
    });

    it('rejects access requests where they are disabled', async () => {
      const { token } = await addUser(server, 'asker');
      for (const place of places) {
        await server.must(`PUT ${place}`, { token: owner.token, json: { request_access_enabled: false } });
        assert.equal((await call(`POST ${place}/access_requests`, undefined, token)).status, 403);
      }
      const hidden = await server.must('POST /groups', { json: { name: 'hidden', path: 'hidden' } });
      assert.equal((await call(`POST /groups/${hidden.id}/access_requests`, undefined, token)).status, 404);
    });

    it('rate-limits invitation e-mails', async () => {
      const few = await startTestServer(engine, ['--invitation-rate', '3/1h']);
      const [inviter, other] = await Promise.all([addUser(few, 'inviter'), addUser(few, 'other')]);
      const at = async (name: string) => {
        const { id } = await few.must('POST /groups', { token: inviter.token, json: { name, path: name } });
        await few.must(`POST /groups/${id}/members`, {
          token: inviter.token,
          json: { user_id: other.id, access_level: 50 },
        });
        return `POST /groups/${id}/invitations`;
      };
      const [first, second] = [await at('first'), await at('second')];
      const invite = async (place: string, token: string, email: string) =>
        (await few.api(place, { token, json: { email, access_level: 30 } })).body;
      const refused = 'Too many invitations have been sent. Try again later.';
      assert.deepEqual(await invite(first, inviter.token, 'a@example.org,b@example.org,c@example.org,d@example.org'), {
        status: 'error',
        message: { 'd@example.org': refused },
      });
      // Applies to the same user in another group and to another user in the same group.
      for (const [place, token] of [
        [second, inviter.token],
        [first, other.token],
      ] as const) {
        assert.equal((await invite(place, token, 'e@example.org')).message['e@example.org'], refused);
      }
      assert.deepEqual(await invite(second, other.token, 'f@example.org'), { status: 'success' });
      // Existing users get no e-mail, so they do not count.
      const member = await addUser(few, 'known');
      const json = { user_id: `${member.id}`, access_level: 30 };
      assert.equal((await few.api(first, { token: inviter.token, json })).body.status, 'success');
    });
  });
});
