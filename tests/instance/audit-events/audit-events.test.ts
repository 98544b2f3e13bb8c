import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sshKeys } from '../../people/keys/specimens.ts';
import { Browser } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('audit events and statistics', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let maintainer: { id: number; username: string; token: string };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Group', path: 'group' } });
      project = await server.must('POST /projects', { json: { name: 'P', namespace_id: group.id } });
      maintainer = await addUser(server, 'maintainer');
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: maintainer.id, access_level: 30 } });
      await server.must(`PUT /projects/${project.id}/members/${maintainer.id}`, { json: { access_level: 40 } });
      await server.must(`PUT /groups/${group.id}`, { json: { visibility: 'public' } });
      await server.must(`PUT /projects/${project.id}`, { json: { visibility: 'public' } });
    });

    const names = (events: readonly { event_name: string }[]) => events.map((event) => event.event_name);

    it('lists changes to a project and a group for maintainers and owners', async () => {
      const events = await server.must(`GET /projects/${project.id}/audit_events`, { token: maintainer.token });
      assert.deepEqual(names(events), [
        'project_visibility_level_updated',
        'member_updated',
        'member_created',
        ...names(events).slice(3),
      ]);
      assert.ok(names(events).includes('project_created'));
      const [changed, updated] = events;
      assert.deepEqual(
        [changed.entity_type, changed.entity_id, changed.details.from, changed.details.to, changed.details.author_name],
        ['Project', project.id, 'private', 'public', 'Administrator'],
      );
      assert.deepEqual(
        [updated.details.from, updated.details.to, updated.details.target_id],
        ['Developer', 'Maintainer', maintainer.id],
      );
      const one = `/projects/${project.id}/audit_events/${changed.id}`;
      assert.deepEqual(await server.must(`GET ${one}`, { token: maintainer.token }), changed);
      assert.equal((await server.api(`GET /groups/${group.id}/audit_events/${changed.id}`)).status, 404);
      assert.equal((await server.api(`GET /groups/${group.id}/audit_events`, { token: maintainer.token })).status, 403);
      const ofGroup = await server.must(`GET /groups/${group.id}/audit_events`);
      assert.equal(ofGroup[0].event_name, 'group_visibility_level_updated');
      assert.equal((await server.api(`GET /projects/${project.id}/audit_events`, { token: null })).status, 401);
      const later = new Date(Date.now() + 60_000).toISOString();
      assert.deepEqual(await server.must(`GET /projects/${project.id}/audit_events?created_after=${later}`), []);
    });

    it('lists all events for administrators, with pagination and without secrets', async () => {
      assert.equal((await server.api('GET /audit_events', { token: maintainer.token })).status, 403);
      const ofUser = `/audit_events?entity_type=User&entity_id=${maintainer.id}`;
      const answer = await server.api(`GET ${ofUser}`);
      assert.deepEqual(names(answer.body).toSorted(), ['personal_access_token_created', 'user_created']);
      assert.equal(answer.text.includes(maintainer.token), false);
      const page = await server.api('GET /audit_events?per_page=2&pagination=keyset');
      assert.equal(page.body.length, 2);
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      const second = await server.must(`GET ${new URL(next).pathname}${new URL(next).search}`);
      assert.ok(second[0].id < page.body[1].id);
      assert.deepEqual(await server.must(`GET /audit_events/${second[0].id}`), second[0]);
      assert.equal((await server.api('GET /audit_events/99999999')).status, 404);
    });

    it('returns instance statistics', async () => {
      const counts = await server.must('GET /application/statistics');
      assert.deepEqual([counts.projects, counts.groups, counts.users, counts.active_users], ['1', '1', '2', '2']);
      assert.equal(counts.issues, '0');
      assert.equal((await server.api('GET /application/statistics', { token: maintainer.token })).status, 403);
    });

    it('names the real author of impersonated actions', async () => {
      const eve = await addUser(server);
      const about = `/audit_events?entity_type=User&entity_id=${eve.id}`;
      const newest = async () => (await server.must(`GET ${about}`))[0];
      const summary = ({
        event_name,
        author_id,
        details,
      }: {
        event_name: string;
        author_id: number;
        details: { custom_message?: string };
      }) => [event_name, author_id, details.custom_message];
      const root = (await server.must('GET /user')).id;
      const expires_at = new Date(Date.now() + 86_400_000 * 3).toISOString().slice(0, 10);
      const attributes = { name: 'as eve', scopes: ['api'], expires_at };
      const token = await server.must(`POST /users/${eve.id}/impersonation_tokens`, { json: attributes });
      const created = `Created impersonation token with id ${token.id}`;
      assert.deepEqual(summary(await newest()), ['personal_access_token_created', root, created]);
      await server.must(`DELETE /users/${eve.id}/impersonation_tokens/${token.id}`);
      const revoked = `Revoked impersonation token with id ${token.id}`;
      assert.deepEqual(summary(await newest()), ['personal_access_token_revoked', root, revoked]);
      const made = await server.must(`POST /users/${eve.id}/personal_access_tokens`, { json: attributes });
      assert.equal((await newest()).author_id, root);
      await server.must(`DELETE /personal_access_tokens/${made.id}`);
      assert.equal((await newest()).author_id, root);
      // With sudo the action is hers, preceded by an event with the real author.
      await server.must('GET /user', { headers: { sudo: eve.username } });
      assert.equal((await newest()).event_name, 'personal_access_token_revoked', 'reads are not audited');
      await server.must('POST /projects?name=hers', { headers: { sudo: eve.username } });
      const acted = `Acted as ${eve.username} by sudo: POST /api/v4/projects`;
      assert.deepEqual(summary(await newest()), ['user_impersonation', root, acted]);
    });

    it('records tokens, keys and deploy credentials for their project or group', async () => {
      const place = `/projects/${project.id}`;
      const known = async (path: string, token?: string) => {
        const events = await server.must(`GET ${path}?per_page=100`, token === undefined ? {} : { token });
        return new Set(names(events));
      };
      const key = await server.must(`POST ${place}/deploy_keys`, {
        json: { title: 'deploys', key: sshKeys.ed25519.text },
      });
      await server.must(`DELETE ${place}/deploy_keys/${key.id}`);
      const attributes = { name: 'reads', scopes: ['read_repository'] };
      for (const at of [place, `/groups/${group.id}`]) {
        const { id } = await server.must(`POST ${at}/deploy_tokens`, { json: attributes });
        await server.must(`DELETE ${at}/deploy_tokens/${id}`);
      }
      const ofProject = await known(`${place}/audit_events`, maintainer.token);
      for (const name of ['deploy_key_added', 'deploy_key_removed', 'deploy_token_created', 'deploy_token_destroyed']) {
        assert.ok(ofProject.has(name), name);
      }
      const ofGroup = await known(`/groups/${group.id}/audit_events`);
      for (const name of ['group_created', 'group_deploy_token_created', 'group_deploy_token_destroyed']) {
        assert.ok(ofGroup.has(name), name);
      }
      const mine = await server.must('POST /user/keys', {
        token: maintainer.token,
        json: { title: 'laptop', key: sshKeys.rsa.text },
      });
      await server.must(`DELETE /user/keys/${mine.id}`, { token: maintainer.token });
      const deleted = await server.must('POST /projects', { json: { name: 'Gone', namespace_id: group.id } });
      await server.must(`DELETE /projects/${deleted.id}`);
      const all = await known('/audit_events');
      for (const name of ['add_ssh_key', 'remove_ssh_key', 'user_created', 'project_marked_for_deletion']) {
        assert.ok(all.has(name), name);
      }
    });

    it('records sign-ins, failed ones, and settings', async () => {
      const user = await addUser(server, 'signer');
      const browser = new Browser(server);
      assert.equal((await browser.signIn(user.username, 'wrong password')).status >= 400, true);
      assert.equal((await browser.signIn('nobody at all', 'wrong password')).status >= 400, true);
      assert.equal((await browser.signIn(user.username, 'long enough 4 you')).status, 303);
      const own = await server.must(`GET /audit_events?entity_type=User&entity_id=${user.id}`);
      assert.deepEqual(names(own).slice(0, 2), ['user_logged_in', 'login_failed_with_standard_authentication']);
      assert.equal(own[0].author_id, user.id);
      await server.must('PUT /application/settings', { json: { default_projects_limit: 99, can_create_group: true } });
      const [changed, failed] = await server.must('GET /audit_events?entity_type=Gitlab::Audit::InstanceScope');
      assert.deepEqual(
        [changed.event_name, changed.details.change, changed.details.from, changed.details.to],
        ['application_setting_updated', 'default_projects_limit', 100_000, 99],
      );
      assert.equal(failed.details.target_details, 'nobody at all');
      const git = (password: string) =>
        fetch(`${server.url}/group/p.git/info/refs?service=git-receive-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}` },
        });
      assert.deepEqual([(await git('wrong')).status, (await git('glpat-gone')).status], [401, 401]);
      const [refused, ...before] = await server.must(`GET /audit_events?entity_type=User&entity_id=${user.id}`);
      assert.equal(refused.event_name, 'login_failed_with_standard_authentication');
      assert.equal(before.length, own.length);
      assert.equal((await server.api('GET /audit_events', { token: user.token })).status, 403);
    });
  });
});
