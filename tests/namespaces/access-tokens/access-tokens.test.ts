import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { removeIdleBots } from '../../../src/namespaces/access-tokens/retire.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const attributes = () => ({ name: 'deploys', scopes: ['api'], expires_at: inDays(10) });

forEachEngine((engine) => {
  describe('project and group access tokens', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let maintainer: Person;
    let outsider: Person;
    let places: { kind: 'project' | 'group'; id: number; path: string }[];
    const refusal = async (call: string, token: string | null, json?: object) => {
      const { status, body } = await server.api(call, { token, ...(json ? { json } : {}) });
      return [status, body];
    };

    before(async () => {
      server = await startTestServer(engine);
      [owner, developer, maintainer, outsider] = (await Promise.all(
        ['owner', 'developer', 'maintainer', 'outsider'].map((name) => addPerson(server, name)),
      )) as [Person, Person, Person, Person];
      const { token } = owner;
      const group = await server.must('POST /groups', { token, json: { name: 'ProjectOrGroup', path: 'place' } });
      const project = await server.must('POST /projects', { token, json: { name: 'inside', namespace_id: group.id } });
      for (const [person, access_level] of [
        [developer, 30],
        [maintainer, 40],
      ] as const) {
        const json = { user_id: person.user.id, access_level };
        await server.must(`POST /groups/${group.id}/members`, { token, json });
      }
      places = [
        { kind: 'project', id: project.id, path: `/projects/${project.id}` },
        { kind: 'group', id: group.id, path: `/groups/${group.id}` },
      ];
    });

    it('create a bot that is a member', async () => {
      for (const { kind, id, path } of places) {
        const json = { ...attributes(), access_level: 30, description: 'd' };
        const created = await server.must(`POST ${path}/access_tokens`, { token: owner.token, json });
        assert.deepEqual(
          [created.access_level, created.resource_type, created.resource_id, created.expires_at],
          [30, kind, id, inDays(10)],
        );
        const bot = await server.must('GET /user', { token: created.token });
        assert.match(bot.username, new RegExp(`^${kind}_${id}_bot_[0-9a-f]{32}$`));
        assert.equal(bot.email, `${bot.username}@noreply.127.0.0.1`);
        assert.deepEqual([bot.bot, bot.name, bot.id], [true, 'deploys', created.user_id]);
        const member = await server.must(`GET ${path}/members/${bot.id}`, { token: owner.token });
        assert.equal(member.access_level, 30);
        const refused = { message: `400 Bad request - User does not have permission to create ${kind} access token` };
        assert.deepEqual(await refusal(`POST ${path}/access_tokens`, created.token, attributes()), [400, refused]);
        const [listed] = await server.must(`GET ${path}/access_tokens`, { token: owner.token });
        assert.deepEqual([listed.id, 'token' in listed], [created.id, false]);
        assert.equal(
          (await server.must(`GET ${path}/access_tokens/${created.id}`, { token: owner.token })).id,
          created.id,
        );
      }
    });

    it('can be created by authorized users up to their own role', async () => {
      for (const { kind, path } of places) {
        const call = `POST ${path}/access_tokens`;
        const message = `400 Bad request - User does not have permission to create ${kind} access token`;
        assert.deepEqual(await refusal(call, developer.token, attributes()), [400, { message }]);
        assert.equal((await refusal(call, outsider.token, attributes()))[0], 404);
        assert.equal((await refusal(call, null, attributes()))[0], 401);
        assert.deepEqual(await refusal(call, owner.token, { name: 'x', scopes: ['api'] }), [
          400,
          { message: '400 Bad request - expires_at is missing' },
        ]);
        assert.deepEqual(await refusal(call, owner.token, { ...attributes(), expires_at: inDays(400) }), [
          400,
          { message: `400 Bad request - Expiration date must be before ${inDays(365)}` },
        ]);
        const scopes = { error: 'scopes does not have a valid value' };
        assert.deepEqual(await refusal(call, owner.token, { ...attributes(), scopes: ['read_user'] }), [400, scopes]);
        assert.deepEqual(await refusal(call, owner.token, { ...attributes(), scopes: 'api,read_api' }), [
          400,
          { error: 'scopes is invalid' },
        ]);
        assert.deepEqual(await refusal(call, owner.token, { ...attributes(), access_level: 35 }), [
          400,
          { error: 'access_level does not have a valid value' },
        ]);
      }
      const call = `POST ${places[0]?.path}/access_tokens`;
      assert.deepEqual(await refusal(call, maintainer.token, { ...attributes(), access_level: 50 }), [
        400,
        {
          message: '400 Bad request - Access level of the token contains permissions not held by the creating user',
        },
      ]);
      assert.equal((await server.must(call, { token: maintainer.token, json: attributes() })).access_level, 40);
    });

    it('are Planners only for those who may grant that role', async () => {
      // A Planner deletes issues, which a Maintainer cannot.
      const call = `POST ${places[0]?.path}/access_tokens`;
      const planner = { ...attributes(), access_level: 15 };
      const refused = await refusal(call, maintainer.token, planner);
      assert.deepEqual(refused, [
        400,
        {
          message: '400 Bad request - Access level of the token contains permissions not held by the creating user',
        },
      ]);
      const { id } = await server.must(call, { token: owner.token, json: planner });
      const rotate = `${call}/${id}/rotate`;
      assert.equal((await refusal(rotate, maintainer.token))[0], 400);
      assert.equal((await server.must(rotate, { token: owner.token })).access_level, 15);
    });

    it('can be listed, rotated and revoked by users who manage them', async () => {
      for (const { kind, path } of places) {
        const created = await server.must(`POST ${path}/access_tokens`, { token: owner.token, json: attributes() });
        const one = `${path}/access_tokens/${created.id}`;
        const unauthorized = [401, { message: '401 Unauthorized' }];
        assert.deepEqual(await refusal(`GET ${path}/access_tokens`, developer.token), unauthorized);
        assert.deepEqual(await refusal(`GET ${one}`, developer.token), unauthorized);
        assert.deepEqual(await refusal(`POST ${one}/rotate`, developer.token), unauthorized);
        assert.deepEqual(await refusal(`POST ${path}/access_tokens/999999/rotate`, owner.token), unauthorized);
        const missing = [404, { message: `404 ${kind} Access Token Not Found` }];
        assert.deepEqual(await refusal(`GET ${path}/access_tokens/999999`, owner.token), missing);
        assert.deepEqual(await refusal(`DELETE ${path}/access_tokens/nonsense`, owner.token), missing);
        assert.deepEqual(await refusal(`DELETE ${one}`, developer.token), [
          400,
          { message: '400 Bad request - developer cannot delete deploys' },
        ]);
        const rotated = await server.api(`POST ${one}/rotate`, { token: owner.token });
        assert.deepEqual([rotated.status, rotated.body.user_id, rotated.body.access_level], [200, created.user_id, 40]);
        assert.equal((await refusal('GET /user', created.token))[0], 401);
        const { id, token } = rotated.body;
        await server.must('GET /user', { token });
        assert.equal((await server.api(`DELETE ${path}/access_tokens/${id}`, { token: owner.token })).status, 204);
        assert.equal((await refusal('GET /user', token))[0], 401);
        const states = await server.must(`GET ${path}/access_tokens?state=inactive`, { token: owner.token });
        assert.ok(states.some((row: { id: number }) => row.id === id));
      }
    });

    it('cannot be rotated by users with a lower role', async () => {
      const path = `/projects/${places[0]?.id}/access_tokens`;
      const created = await server.must(`POST ${path}`, {
        token: owner.token,
        json: { ...attributes(), access_level: 50 },
      });
      assert.deepEqual(await refusal(`POST ${path}/${created.id}/rotate`, maintainer.token), [
        400,
        { message: '400 Bad request - Not eligible to rotate token with access level higher than the user' },
      ]);
      await server.must('GET /user', { token: created.token });
      await server.must(`POST ${path}/${created.id}/rotate`, { token: owner.token });
    });

    it('do not allow their bots to add SSH keys', async () => {
      const path = `/projects/${places[0]?.id}/access_tokens`;
      const { token } = await server.must(`POST ${path}`, { token: owner.token, json: attributes() });
      const json = { title: 'x', key: sshKeyPair().public };
      assert.equal((await server.api('POST /user/keys', { token, json })).status, 403);
    });

    it('can rotate themselves only through their own resource', async () => {
      for (const { path } of places) {
        const json = { ...attributes(), scopes: ['self_rotate'] };
        const created = await server.must(`POST ${path}/access_tokens`, { token: owner.token, json });
        assert.equal((await refusal(`POST ${path}/access_tokens/self/rotate`, owner.token))[0], 405);
        const answer = await server.api(`POST ${path}/access_tokens/self/rotate`, { token: created.token });
        assert.deepEqual(
          [answer.status, answer.body.user_id, answer.body.expires_at],
          [200, created.user_id, inDays(7)],
        );
      }
    });

    it('are listed in the credentials inventory of the top-level group', async () => {
      const [, group] = places;
      const path = `/groups/${group?.id}/manage`;
      const all = await server.must(`GET ${path}/resource_access_tokens?per_page=100`, { token: owner.token });
      const kinds = new Set(all.map((row: { resource_type: string }) => row.resource_type));
      assert.deepEqual([...kinds].sort(), ['group', 'project']);
      const active = await server.must(`GET ${path}/resource_access_tokens?state=active&sort=name_asc`, {
        token: owner.token,
      });
      assert.ok(active.length > 0 && active.length < all.length);
      // Group owners could add any user as a member, so they do not see the tokens of members.
      assert.deepEqual(await server.must(`GET ${path}/personal_access_tokens`, { token: owner.token }), []);
      const seen = await server.must(`GET ${path}/personal_access_tokens?per_page=100`);
      assert.deepEqual(
        seen.map((row: { user_id: number }) => row.user_id).sort(),
        [owner, developer, maintainer].map(({ user }) => user.id).sort(),
      );
      await server.must(`PUT /users/${developer.user.id}`, { json: { group_id_for_saml: group?.id } });
      const own = await server.must(`GET ${path}/personal_access_tokens`, { token: owner.token });
      assert.deepEqual(
        own.map((row: { user_id: number }) => row.user_id),
        [developer.user.id],
      );
      for (const kind of ['personal', 'resource']) {
        assert.equal((await refusal(`GET ${path}/${kind}_access_tokens`, maintainer.token))[0], 403);
        assert.equal((await refusal(`GET ${path}/${kind}_access_tokens`, outsider.token))[0], 404);
        assert.equal((await refusal(`GET ${path}/${kind}_access_tokens`, null))[0], 401);
      }
    });

    it('are removed with their bots some time after becoming inactive, keeping the contributions', async () => {
      const { services } = server.running;
      const { token } = owner;
      const [place] = places;
      const make = async () => {
        const created = await server.must(`POST ${place?.path}/access_tokens`, {
          token,
          json: { ...attributes(), access_level: 30 },
        });
        return { id: created.id as number, bot: created.user_id as number, token: created.token as string };
      };
      const [kept, revoked, rotated, expired] = [await make(), await make(), await make(), await make()];
      const issue = await server.must(`POST ${place?.path}/issues`, {
        token: revoked.token,
        json: { title: 'By a bot' },
      });
      for (const one of [revoked, rotated])
        await server.must(`DELETE ${place?.path}/access_tokens/${one.id}`, { token });
      const day = 86_400_000;
      const now = Date.now();
      await server.db.write((trx) =>
        trx
          .updateTable('access_tokens')
          .set({ expires_at: now - 29 * day })
          .where('id', '=', expired.id)
          .execute(),
      );
      const remainingBots = async () => {
        const rows = await server.db.read
          .selectFrom('users')
          .select('id')
          .where('id', 'in', [kept.bot, revoked.bot, rotated.bot, expired.bot])
          .execute();
        return rows.map(({ id }) => id).toSorted((one, other) => one - other);
      };
      const all = await remainingBots();
      await removeIdleBots(services, AbortSignal.timeout(60_000), now);
      assert.deepEqual(await remainingBots(), all, 'no token has been inactive for thirty days');
      await removeIdleBots(services, AbortSignal.timeout(60_000), now + 2 * day);
      assert.deepEqual(await remainingBots(), [kept.bot, revoked.bot, rotated.bot], 'expired');
      // A bot with another active token is kept.
      await server.db.write((trx) =>
        trx.updateTable('access_tokens').set({ user_id: rotated.bot }).where('id', '=', kept.id).execute(),
      );
      await removeIdleBots(services, AbortSignal.timeout(60_000), now + 31 * day);
      assert.deepEqual(await remainingBots(), [kept.bot, rotated.bot], 'revoked; a bot without tokens is not affected');
      const shown = await server.must(`GET ${place?.path}/issues/${issue.iid}`, { token });
      assert.equal(shown.author.username, 'ghost');
      await server.must('PUT /application/settings', {
        json: { inactive_resource_access_tokens_delete_after_days: 100 },
      });
      await removeIdleBots(services, AbortSignal.timeout(60_000), now + 60 * day);
      assert.deepEqual(await remainingBots(), [kept.bot, rotated.bot]);
    });
  });
});
