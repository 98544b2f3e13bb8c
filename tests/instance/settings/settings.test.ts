import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { settingsWithoutEffect } from '../../../src/access/application-settings/idle.ts';
import { applicationSettings, settingRules } from '../../../src/access/application-settings/list.ts';
import { addStage, addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

let count = 0;
const fresh = (name: string) => `${name}-${++count}`;

forEachEngine((engine) => {
  describe('application settings', () => {
    let server: TestServer;
    let defaults: Record<string, unknown>;
    let user: { id: number; token: string };

    before(async () => {
      server = await startTestServer(engine);
      defaults = await server.must('GET /application/settings');
    });
    beforeEach(async () => {
      await server.must('PUT /application/settings', { json: defaults });
      user = await addUser(server);
    });

    const set = (json: object) => server.must('PUT /application/settings', { json });
    const newGroup = (json: object = {}, token = user.token) => {
      const path = fresh('group');
      return server.api('POST /groups', { json: { name: path, path, ...json }, token });
    };
    const newProject = (json: object = {}, token = user.token) =>
      server.api('POST /projects', { json: { name: fresh('project'), ...json }, token });
    const account = (json: object = {}) => {
      const username = fresh('account');
      const sent = {
        username,
        name: username,
        email: `${username}@example.com`,
        password: 'long enough 4 you',
        ...json,
      };
      return server.api('POST /users', { json: sent });
    };

    it('are restricted to administrators', async () => {
      for (const call of ['GET /application/settings', 'PUT /application/settings?default_projects_limit=1']) {
        assert.equal((await server.api(call, { token: null })).status, 401);
        assert.equal((await server.api(call, { token: user.token })).status, 403);
      }
    });

    it('return all settings and store changes', async () => {
      assert.deepEqual(Object.keys(defaults).sort(), ['id', ...Object.keys(settingRules)].sort());
      const changed = await set({ default_projects_limit: 42, restricted_visibility_levels: ['public'] });
      assert.deepEqual(changed, { ...defaults, default_projects_limit: 42, restricted_visibility_levels: ['public'] });
      assert.deepEqual(await server.must('GET /application/settings'), changed);
    });

    it('either have an effect or are listed as without effect', () => {
      const both = Object.keys(applicationSettings).filter((name) => Object.hasOwn(settingsWithoutEffect, name));
      assert.deepEqual(both, []);
    });

    it('return decimals as strings, which Go clients require', async () => {
      assert.equal((await set({ polling_interval_multiplier: 2 })).polling_interval_multiplier, '2.0');
      assert.equal((await set({ polling_interval_multiplier: '1.25' })).polling_interval_multiplier, '1.25');
    });

    it('are stored even without effect, and unknown ones are reported', async () => {
      const idle = {
        akismet_enabled: true,
        max_pages_size: 7,
        asset_proxy_allowlist: ['example.com'],
        home_page_url: '/x',
      };
      const changed = await set({ ...idle, polling_interval_multiplier: 0.5 });
      assert.deepEqual(changed, { ...defaults, ...idle, polling_interval_multiplier: '0.5' });
      const answer = await server.api('PUT /application/settings?also_none=1', {
        json: { max_pages_size: 8, max_page_size: 9 },
      });
      assert.deepEqual([answer.status, answer.headers.get('x-ignored-parameters')], [200, 'also_none, max_page_size']);
    });

    it('reject invalid values', async () => {
      const refused = async (json: object) => {
        const answer = await server.api('PUT /application/settings', { json });
        assert.equal(answer.status, 400);
        return answer.body;
      };
      assert.match((await refused({})).error, /are missing, at least one parameter must be provided$/);
      assert.deepEqual(await refused({ default_projects_limit: 'many' }), {
        error: 'default_projects_limit is invalid',
      });
      assert.deepEqual(await refused({ deletion_adjourned_period: 91, default_branch_name: 'a..b' }), {
        message: {
          default_branch_name: ['is invalid'],
          deletion_adjourned_period: ['must be less than or equal to 90'],
        },
      });
      assert.deepEqual(await server.must('GET /application/settings'), defaults, 'all or nothing');
    });

    it('serve security.txt', async () => {
      const ask = () => fetch(`${server.url}/.well-known/security.txt`);
      assert.equal((await ask()).status, 404);
      await set({ security_txt_content: 'Contact: mailto:security@example.com\n' });
      const answer = await ask();
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(await answer.text(), 'Contact: mailto:security@example.com\n');
      const long = { security_txt_content: 'x'.repeat(2049) };
      assert.equal((await server.api('PUT /application/settings', { json: long })).status, 400);
    });

    it('set the defaults of new accounts', async () => {
      await set({
        default_projects_limit: 1,
        can_create_group: false,
        user_defaults_to_private_profile: true,
        minimum_password_length: 12,
      });
      const short = await account({ password: 'tiny 4 you!' });
      assert.deepEqual(
        [short.status, short.body],
        [400, { message: { password: ['is too short (minimum is 12 characters)'] } }],
      );
      const created = (await account()).body;
      assert.deepEqual([created.projects_limit, created.can_create_group, created.private_profile], [1, false, true]);
      const explicit = (await account({ projects_limit: 3, can_create_group: true })).body;
      assert.deepEqual([explicit.projects_limit, explicit.can_create_group], [3, true]);
      const change = await server.api(`PUT /users/${created.id}`, { json: { password: 'tiny 4 you!' } });
      assert.equal(change.status, 400);
      await set({ user_default_external: true });
      assert.equal((await account()).body.external, true);
    });

    it('set the dormancy period before deactivation', async () => {
      await set({ deactivate_dormant_users_period: 120 });
      await server.must('GET /user', { token: user.token });
      await server.db.write((trx) =>
        trx.updateTable('users').set({ last_activity_at: Date.now() }).where('id', '=', user.id).execute(),
      );
      const answer = await server.api(`POST /users/${user.id}/deactivate`);
      assert.equal(answer.status, 403);
      assert.match(answer.body.message, /has been active in the past 120 days and cannot be deactivated$/);
    });

    it('set the default visibility of groups and projects', async () => {
      await set({ default_group_visibility: 'internal', default_project_visibility: 'internal' });
      const group = (await newGroup()).body;
      assert.equal(group.visibility, 'internal');
      assert.equal((await newGroup({ parent_id: group.id })).body.visibility, 'internal');
      assert.equal((await newProject()).body.visibility, 'internal');
      const hidden = (await newGroup({ visibility: 'private' })).body;
      assert.equal((await newGroup({ parent_id: hidden.id })).body.visibility, 'private', 'limited by the parent');
      assert.equal((await newProject({ namespace_id: hidden.id })).body.visibility, 'private');
    });

    it('restrict visibility levels to administrators', async () => {
      const { project } = await addStage(server, 'public');
      await set({ restricted_visibility_levels: ['public'] });
      const text = 'public has been restricted by your GitLab administrator';
      const group = await newGroup({ visibility: 'public' });
      assert.deepEqual(
        [group.status, group.body.message],
        [400, `Failed to save group {:visibility_level=>["${text}"]}`],
      );
      const refused = await newProject({ visibility: 'public' });
      assert.deepEqual([refused.status, refused.body], [400, { message: { visibility_level: [text] } }]);
      const own = (await newProject()).body;
      const ownGroup = (await newGroup()).body;
      for (const path of [`/projects/${own.id}`, `/groups/${ownGroup.id}`]) {
        const answer = await server.api(`PUT ${path}`, { json: { visibility: 'public' }, token: user.token });
        assert.deepEqual([answer.status, answer.body], [400, { message: { visibility_level: [text] } }], path);
      }
      const fork = await server.must(`POST /projects/${project.id}/fork`, { token: user.token });
      assert.equal(fork.visibility, 'internal', 'a fork gets the highest allowed visibility');
      assert.equal((await newProject({ visibility: 'public' }, rootToken)).status, 201, 'administrators are exempt');
    });

    it('hide profiles from unauthenticated callers if public visibility is restricted', async () => {
      const lookUpRoot = () => server.api('GET /users?username=root', { token: null });
      assert.equal((await lookUpRoot()).status, 200);
      await set({ restricted_visibility_levels: ['public'] });
      const answer = await lookUpRoot();
      assert.deepEqual(
        [answer.status, answer.body],
        [403, { message: '403 Forbidden - Not authorized to access /api/v4/users' }],
      );
    });

    it('set the project creation level and branch protection of new groups', async () => {
      await set({ default_project_creation: 1, default_branch_protection: 0 });
      const group = (await newGroup()).body;
      assert.deepEqual([group.project_creation_level, group.default_branch_protection], ['maintainer', 0]);
      const rulesOf = async (json: object, token?: string) => {
        const { id } = (await newProject({ initialize_with_readme: true, ...json }, token)).body;
        return (await server.must(`GET /projects/${id}/protected_branches`)).length;
      };
      assert.equal(await rulesOf({ namespace_id: group.id }), 0);
      const later = await addUser(server);
      assert.equal(await rulesOf({}, later.token), 0, 'new users too');
      assert.equal(await rulesOf({}), 1, 'existing users keep their setting');
    });

    it('set the branch protection of new groups and users in detail', async () => {
      const name = 'default_branch_protection_defaults';
      const level = (access_level: number) => [{ access_level }];
      const changed = await set({ [name]: { allowed_to_merge: level(30), developer_can_initial_push: true } });
      const detail = { ...(defaults[name] as object), allowed_to_merge: level(30), developer_can_initial_push: true };
      assert.deepEqual(changed[name], detail);
      const group = (await newGroup()).body;
      assert.deepEqual(group[name], detail);
      const own = { [name]: { allowed_to_merge: level(40) } };
      assert.deepEqual((await newGroup(own)).body[name], { ...detail, allowed_to_merge: level(40) });
      const later = await addUser(server);
      const mergersOf = async (json: object, token: string) => {
        const { id } = (await newProject({ initialize_with_readme: true, ...json }, token)).body;
        const [rule] = await server.must(`GET /projects/${id}/protected_branches`);
        return rule.merge_access_levels.map(({ access_level }: { access_level: number }) => access_level);
      };
      assert.deepEqual(await mergersOf({ namespace_id: group.id }, user.token), [30]);
      assert.deepEqual(await mergersOf({}, later.token), [30]);
      assert.deepEqual(await mergersOf({}, user.token), [40], 'existing users keep their setting');
      const numbered = await set({ default_branch_protection: 1 });
      assert.deepEqual([numbered[name].allowed_to_push, numbered[name].allowed_to_merge], [level(30), level(40)]);
      assert.equal((await set({ [name]: { allow_force_push: false } })).default_branch_protection, 1);
      assert.equal((await set({ [name]: { allowed_to_push: level(40) } })).default_branch_protection, 2);
      // As stored before there were details.
      await server.running.services.settings.change({ default_branch_protection: 3, [name]: defaults[name] });
      const shown = await server.must('GET /application/settings');
      assert.deepEqual([shown.default_branch_protection, shown[name].allowed_to_merge], [3, level(30)]);
      assert.deepEqual((await newGroup()).body[name].allowed_to_merge, level(30));
      for (const wrong of [
        { allowed_to_push: level(35) },
        { allowed_to_push: [{}] },
        { allow_force_push: 'perhaps' },
        5,
      ]) {
        assert.equal((await server.api('PUT /application/settings', { json: { [name]: wrong } })).status, 400);
      }
    });

    it('set the default branch, unless an ancestor group does', async () => {
      await set({ default_branch_name: 'trunk' });
      const branchIn = async (namespace_id?: number) =>
        (await newProject({ initialize_with_readme: true, ...(namespace_id ? { namespace_id } : {}) })).body
          .default_branch;
      assert.equal(await branchIn(), 'trunk');
      const group = (await newGroup({ default_branch: 'stem' })).body;
      const below = (await newGroup({ parent_id: group.id })).body;
      assert.deepEqual([await branchIn(group.id), await branchIn(below.id)], ['stem', 'stem']);
      const named = (await newProject({ default_branch: 'own', namespace_id: group.id })).body;
      assert.equal(named.default_branch, 'own');
    });

    it('allow or forbid immediate deletion', async () => {
      await set({ allow_immediate_namespaces_deletion: false });
      const refusal = { message: '`permanently_remove` option is not permitted on this instance.' };
      const project = (await newProject()).body;
      const group = (await newGroup()).body;
      for (const path of [`/projects/${project.id}`, `/groups/${group.id}`]) {
        await server.must(`DELETE ${path}`, { token: user.token });
        const answer = await server.api(`DELETE ${path}?permanently_remove=true&full_path=x`, { token: user.token });
        assert.deepEqual([answer.status, answer.body], [400, refusal]);
      }
      const { path_with_namespace } = await server.must(`GET /projects/${project.id}`);
      const path = encodeURIComponent(path_with_namespace);
      await server.must(`DELETE /projects/${project.id}?permanently_remove=true&full_path=${path}`);
    });

    it('set the maximum lifetime and prefix of access tokens', async () => {
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
      const path = `/users/${user.id}/personal_access_tokens`;
      const make = (json: object = {}) => server.api(`POST ${path}`, { json: { name: 'a', scopes: ['api'], ...json } });
      await set({ max_personal_access_token_lifetime: 10, personal_access_token_prefix: 'acme-' });
      const far = await make({ expires_at: day(30) });
      assert.deepEqual([far.status, far.body.message], [422, `Expiration date must be before ${day(10)}`]);
      const { token, id, expires_at } = (await make()).body;
      assert.deepEqual([token.slice(0, 5), expires_at], ['acme-', day(10)]);
      assert.equal((await server.api('GET /user', { token })).status, 200);
      const rotated = await server.must(`POST /personal_access_tokens/${id}/rotate`);
      assert.equal(rotated.token.slice(0, 5), 'acme-');
      await set({ max_personal_access_token_lifetime: null, require_personal_access_token_expiry: false });
      assert.equal((await make()).body.expires_at, null);
      assert.equal((await make({ expires_at: day(1000) })).body.expires_at, day(1000));
      const project = (await newProject()).body;
      const json = { name: 'bot', scopes: ['api'], access_level: 10 };
      const bot = await server.must(`POST /projects/${project.id}/access_tokens`, { json, token: user.token });
      assert.equal(bot.expires_at, null);
    });

    it('restrict types of SSH keys', async () => {
      await set({ ed25519_key_restriction: -1 });
      const json = { title: 'laptop', key: sshKeyPair().public };
      const project = (await newProject()).body;
      const text = 'type is forbidden. Must be RSA, ECDSA, ECDSA_SK, or ED25519_SK';
      const own = await server.api('POST /user/keys', { json, token: user.token });
      assert.deepEqual([own.status, own.body], [400, { message: { key: [text] } }]);
      const deploy = await server.api(`POST /projects/${project.id}/deploy_keys`, { json, token: user.token });
      assert.deepEqual([deploy.status, deploy.body], [400, { message: { 'deploy_key.key': [text] } }]);
      await set({ ed25519_key_restriction: 0 });
      assert.equal((await server.api('POST /user/keys', { json, token: user.token })).status, 201);
    });

    it('limit the size of uploads', async () => {
      await set({ max_attachment_size: 1 });
      const project = (await newProject()).body;
      const upload = (bytes: number) => {
        const body = new FormData();
        body.set('file', new Blob([Buffer.alloc(bytes)]), 'file.bin');
        return server.api(`POST /projects/${project.id}/uploads`, { body, token: user.token });
      };
      assert.equal((await upload(1024 * 1024)).status, 201);
      assert.equal((await upload(1024 * 1024 + 1)).status, 413);
    });
  });
});
