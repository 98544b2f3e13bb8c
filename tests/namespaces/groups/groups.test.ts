import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const listFields = [
  ...['id', 'web_url', 'name', 'path', 'description', 'visibility', 'share_with_group_lock'],
  ...['require_two_factor_authentication', 'two_factor_grace_period', 'project_creation_level'],
  ...['auto_devops_enabled', 'subgroup_creation_level', 'emails_disabled', 'emails_enabled'],
  ...['show_diff_preview_in_email', 'mentions_disabled', 'lfs_enabled', 'archived'],
  ...['math_rendering_limits_enabled', 'lock_math_rendering_limits_enabled', 'default_branch'],
  ...['default_branch_protection', 'default_branch_protection_defaults', 'avatar_url', 'request_access_enabled'],
  ...['full_name', 'full_path', 'created_at', 'parent_id', 'organization_id', 'shared_runners_setting'],
  ...['max_artifacts_size', 'marked_for_deletion_on', 'file_template_project_id', 'wiki_access_level'],
  ...['repository_storage', 'ip_restriction_ranges'],
];
const detailFields = [
  ...listFields,
  ...['shared_with_groups', 'prevent_sharing_groups_outside_hierarchy', 'only_allow_merge_if_pipeline_succeeds'],
  ...['allow_merge_on_skipped_pipeline', 'only_allow_merge_if_all_discussions_are_resolved', 'membership_lock'],
  ...['shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit', 'ai_features_enabled'],
  ...['lock_ai_features_enabled', 'ai_availability', 'experiment_features_enabled'],
];

forEachEngine((engine) => {
  describe('groups API', () => {
    let server: TestServer;
    let owner: { id: number; username: string; token: string };
    let outsider: { id: number; token: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      [owner, outsider] = await Promise.all([addUser(server, 'owner'), addUser(server, 'outsider')]);
    });

    async function make(more: object = {}, token = owner.token) {
      count += 1;
      return server.must('POST /groups', { token, json: { name: `Group ${count}`, path: `group-${count}`, ...more } });
    }

    it('creates groups with the documented defaults', async () => {
      const group = await make({ name: 'First', path: 'first' });
      for (const field of detailFields) assert.ok(Object.hasOwn(group, field), field);
      assert.ok(!('runners_token' in group) && !('projects' in group));
      assert.equal(group.web_url, `${server.url}/groups/first`);
      assert.deepEqual(
        [group.visibility, group.project_creation_level, group.subgroup_creation_level, group.lfs_enabled],
        ['private', 'developer', 'maintainer', true],
      );
      assert.deepEqual(
        [group.two_factor_grace_period, group.request_access_enabled, group.description, group.parent_id],
        [48, true, '', null],
      );
      assert.deepEqual(group.default_branch_protection_defaults, {
        allowed_to_push: [{ access_level: 40 }],
        allow_force_push: false,
        allowed_to_merge: [{ access_level: 40 }],
        developer_can_initial_push: false,
      });
      const members = await server.must(`GET /groups/${group.id}/members`, { token: owner.token });
      assert.deepEqual(
        members.map((member: { id: number; access_level: number }) => [member.id, member.access_level]),
        [[owner.id, 50]],
      );
    });

    it('shows some attributes to owners and administrators only', async () => {
      const group = await make({ visibility: 'public' });
      const inner = await make({ visibility: 'public', parent_id: group.id });
      const mine = await server.must(`GET /groups/${group.full_path}`, { token: owner.token });
      assert.match(mine.runners_token, /^GR1348941/);
      assert.equal(mine.enabled_git_access_protocol, 'all');
      assert.deepEqual(mine.projects, []);
      assert.deepEqual(mine.shared_projects, []);
      assert.equal((await server.must(`GET /groups/${group.id}`)).runners_token, mine.runners_token);
      for (const token of [outsider.token, null]) {
        const seen = await server.must(`GET /groups/${group.id}?with_projects=false`, { token });
        assert.ok(!('runners_token' in seen) && !('enabled_git_access_protocol' in seen) && !('projects' in seen));
      }
      const deep = await server.must(`GET /groups/${encodeURIComponent(inner.full_path)}`, { token: owner.token });
      assert.ok(!('enabled_git_access_protocol' in deep) && !('prevent_sharing_groups_outside_hierarchy' in deep));
      assert.equal(deep.full_name, `${group.name} / ${inner.name}`);
      assert.equal(deep.parent_id, group.id);
    });

    it('shows Duo and signing settings to owners only, in lists too', async () => {
      const restricted = ['duo_features_enabled', 'lock_duo_features_enabled', 'web_based_commit_signing_enabled'];
      const group = await make({ visibility: 'public' });
      const inner = await make({ visibility: 'public', parent_id: group.id });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: outsider.id, access_level: 40 } });
      const seenBy = async (token: string | null | undefined) => {
        const [listed] = await server.must(`GET /groups?search=${group.path}&top_level_only=true`, { token });
        const [below] = await server.must(`GET /groups/${group.id}/subgroups`, { token });
        const views = [await server.must(`GET /groups/${inner.id}`, { token }), listed, below];
        return views.map((view) => restricted.filter((name) => name in view).length);
      };
      assert.deepEqual(await seenBy(owner.token), [3, 3, 3]);
      assert.deepEqual(await seenBy(undefined), [3, 3, 3]);
      assert.deepEqual(await seenBy(outsider.token), [0, 0, 0]);
      assert.deepEqual(await seenBy(null), [0, 0, 0]);
      await server.must(`DELETE /groups/${group.id}/members/${outsider.id}`);
    });

    it('includes the deprecated project lists', async () => {
      const group = await make();
      const other = await make();
      const project = await server.must('POST /projects', { json: { name: 'inside', namespace_id: group.id } });
      const lent = await server.must('POST /projects', { json: { name: 'lent', namespace_id: other.id } });
      const share = { group_id: group.id, group_access: 20 };
      await server.must(`POST /projects/${lent.id}/share`, { token: owner.token, json: share });
      const detail = await server.must(`GET /groups/${group.id}`, { token: owner.token });
      const ids = (list: { id: number }[]) => list.map(({ id }) => id);
      assert.deepEqual([ids(detail.projects), ids(detail.shared_projects)], [[project.id], [lent.id]]);
    });

    it('answers 404 for hidden and missing groups alike', async () => {
      const group = await make();
      for (const [call, token] of [
        [`GET /groups/${group.id}`, outsider.token],
        [`GET /groups/${group.full_path}`, null],
        ['GET /groups/99999999', owner.token],
        ['GET /groups/no-such-group', null],
        [`PUT /groups/${group.id}`, outsider.token],
      ] as const) {
        const answer = await server.api(call, { token });
        assert.equal(answer.status, 404, call);
        assert.deepEqual(answer.body, { message: '404 Group Not Found' });
      }
      assert.equal((await server.api(`PUT /groups/${group.id}`, { token: null, json: {} })).status, 401);
      assert.equal((await server.api('POST /groups', { token: null, json: {} })).status, 401);
    });

    const refused: [object, string][] = [
      [{ path: 'a' }, '{:path=>["is too short (minimum is 2 characters)"]}'],
      [{ path: 'admin' }, '{:path=>["admin is a reserved name"]}'],
      [{ name: ' ' }, '{:name=>["can\'t be blank"]}'],
      [
        { name: '!x' },
        "{:name=>[\"can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. " +
          "It must start with letter, digit, emoji or '_'.\"]}",
      ],
      [{ description: 'x'.repeat(2001) }, '{:description=>["is too long (maximum is 2000 characters)"]}'],
      [{ two_factor_grace_period: -1 }, '{:two_factor_grace_period=>["must be greater than or equal to 0"]}'],
      [{ default_branch: 'a..b' }, '{:default_branch=>["is invalid"]}'],
    ];
    for (const [attributes, dump] of refused) {
      it(`rejects creation with ${JSON.stringify(attributes).slice(0, 50)}`, async () => {
        const answer = await server.api('POST /groups', {
          token: owner.token,
          json: { name: 'Fine', path: 'fine', ...attributes },
        });
        assert.equal(answer.status, 400);
        assert.equal(answer.body.message, `Failed to save group ${dump}`);
      });
    }

    it('reports all missing and invalid parameters', async () => {
      const token = owner.token;
      const missing = await server.api('POST /groups', { token, json: {} });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'name is missing, path is missing' }]);
      const wrong = await server.api('POST /groups', {
        token,
        json: { name: 'X', path: 'xx', visibility: 'secret', lfs_enabled: 'maybe' },
      });
      assert.deepEqual(wrong.body, { error: 'visibility does not have a valid value, lfs_enabled is invalid' });
    });

    it('rejects a path taken in any case and a duplicate name among siblings', async () => {
      const group = await make({ path: 'Taken-Path' });
      const token = owner.token;
      const again = await server.api('POST /groups', { token, json: { name: 'Other', path: 'taken-path' } });
      assert.equal(again.body.message, 'Failed to save group {:path=>["has already been taken"]}');
      const user = await server.api('POST /groups', { token, json: { name: 'Other', path: owner.username } });
      assert.equal(user.body.message, 'Failed to save group {:path=>["has already been taken"]}');
      await make({ name: group.name });
      await make({ name: 'Same', path: 'same', parent_id: group.id });
      const both = await server.api('POST /groups', {
        token,
        json: { name: 'Same', path: 'SAME', parent_id: group.id },
      });
      assert.equal(
        both.body.message,
        'Failed to save group {:name=>["has already been taken"], :path=>["has already been taken"]}',
      );
      assert.equal((await server.api('GET /groups/taken-PATH', { token })).status, 200);
    });

    it('creates one group when the same path is requested concurrently', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          server.api('POST /groups', { token: owner.token, json: { name: 'Race', path: 'race' } }),
        ),
      );
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 400, 400, 400, 400, 400]);
    });

    it('allows twenty levels of nesting', async () => {
      let parent = await make();
      const top = parent.id;
      for (let depth = 1; depth <= 20; depth += 1) parent = await make({ parent_id: parent.id });
      const answer = await server.api('POST /groups', {
        token: owner.token,
        json: { name: 'Too deep', path: 'too-deep', parent_id: parent.id },
      });
      assert.equal(answer.body.message, 'Failed to save group {:parent_id=>["has too deep level of nesting"]}');
      const below = await server.api(`GET /groups/${top}/descendant_groups`, { token: owner.token });
      assert.equal(below.headers.get('x-total'), '20');
    });

    it('restricts creation by role and settings', async () => {
      const group = await make();
      const external = await addUser(server, 'external');
      await server.must(`PUT /users/${external.id}`, { json: { external: true } });
      const attributes = { name: 'Nope', path: 'nope' };
      assert.equal((await server.api('POST /groups', { token: external.token, json: attributes })).status, 403);
      const levels = [
        { level: 30, setting: 'maintainer', status: 403 },
        { level: 40, setting: 'maintainer', status: 201 },
        { level: 40, setting: 'owner', status: 403 },
        { level: 50, setting: 'owner', status: 201 },
      ];
      for (const { level, setting, status } of levels) {
        const member = await addUser(server, 'member');
        const token = owner.token;
        await server.must(`PUT /groups/${group.id}`, { token, json: { subgroup_creation_level: setting } });
        const json = { user_id: member.id, access_level: level };
        await server.must(`POST /groups/${group.id}/members`, { token, json });
        count += 1;
        const answer = await server.api('POST /groups', {
          token: member.token,
          json: { name: `Sub ${count}`, path: `sub-${count}`, parent_id: group.id },
        });
        assert.equal(answer.status, status, `${level} ${setting}`);
      }
      const hidden = await server.api('POST /groups', {
        token: outsider.token,
        json: { ...attributes, parent_id: group.id },
      });
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Group Not Found' }]);
    });
  });
});
