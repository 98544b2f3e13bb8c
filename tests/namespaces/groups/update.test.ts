import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Every documented setting with a value other than its default. */
const settings: Record<string, unknown> = {
  share_with_group_lock: true,
  require_two_factor_authentication: true,
  two_factor_grace_period: 12,
  project_creation_level: 'noone',
  auto_devops_enabled: false,
  subgroup_creation_level: 'owner',
  emails_enabled: false,
  show_diff_preview_in_email: false,
  mentions_disabled: true,
  lfs_enabled: false,
  request_access_enabled: false,
  default_branch: 'trunk',
  enabled_git_access_protocol: 'ssh',
  membership_lock: true,
  wiki_access_level: 'private',
  experiment_features_enabled: true,
  ai_availability: 'never_on',
  shared_runners_setting: 'disabled_and_unoverridable',
  prevent_sharing_groups_outside_hierarchy: true,
  step_up_auth_required_oauth_provider: 'openid',
  max_artifacts_size: 10,
  web_based_commit_signing_enabled: true,
  math_rendering_limits_enabled: false,
  lock_math_rendering_limits_enabled: true,
  ai_features_enabled: false,
  lock_ai_features_enabled: true,
  prevent_forking_outside_group: true,
  unique_project_download_limit: 10_000,
  unique_project_download_limit_interval_in_seconds: 864_000,
  unique_project_download_limit_allowlist: ['root'],
  unique_project_download_limit_alertlist: [1],
  auto_ban_user_on_excessive_projects_download: true,
  ip_restriction_ranges: '10.0.0.0/8,::1',
  allowed_email_domains_list: 'example.com',
  only_allow_merge_if_pipeline_succeeds: true,
  allow_merge_on_skipped_pipeline: true,
  only_allow_merge_if_all_discussions_are_resolved: true,
  allow_personal_snippets: false,
};

const png = Buffer.from('89504e470d0a1a0a', 'hex');

function upload(name: string, bytes: Buffer = png): FormData {
  const form = new FormData();
  form.set('avatar', new Blob([Uint8Array.from(bytes)]), name);
  return form;
}

forEachEngine((engine) => {
  describe('group updates', () => {
    let server: TestServer;
    let owner: { id: number; token: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addUser(server, 'owner');
    });

    async function make(more: object = {}) {
      count += 1;
      const json = { name: `Group ${count}`, path: `group-${count}`, ...more };
      return server.must('POST /groups', { token: owner.token, json });
    }
    const put = (id: number, json: object, token = owner.token) => server.api(`PUT /groups/${id}`, { token, json });

    it('store and return every documented setting', async () => {
      const group = await make();
      const answer = await put(group.id, settings);
      assert.equal(answer.status, 200, answer.text);
      const seen = await server.must(`GET /groups/${group.id}`, { token: owner.token });
      for (const [name, value] of Object.entries(settings)) {
        assert.deepEqual([name, answer.body[name]], [name, value]);
        assert.deepEqual([name, seen[name]], [name, value]);
      }
      assert.equal(seen.emails_disabled, true);
      const emptied = await put(group.id, { ip_restriction_ranges: null, allowed_email_domains_list: null });
      assert.deepEqual([emptied.body.ip_restriction_ranges, emptied.body.allowed_email_domains_list], [null, null]);
    });

    it('accept deprecated parameters', async () => {
      const group = await make();
      const { body } = await put(group.id, {
        emails_disabled: true,
        shared_runners_setting: 'disabled_with_override',
        default_branch_protection: 3,
        duo_availability: 'default_off',
      });
      assert.deepEqual(
        [body.emails_enabled, body.shared_runners_setting, body.ai_availability, body.default_branch_protection],
        [false, 'disabled_and_overridable', 'default_off', 3],
      );
      assert.deepEqual(body.default_branch_protection_defaults.allowed_to_merge, [{ access_level: 30 }]);
      const partial = await put(group.id, { default_branch_protection_defaults: { allow_force_push: true } });
      assert.deepEqual(partial.body.default_branch_protection_defaults, {
        allowed_to_push: [{ access_level: 40 }],
        allow_force_push: true,
        allowed_to_merge: [{ access_level: 30 }],
        developer_can_initial_push: false,
      });
    });

    it('restrict compute minutes to administrators', async () => {
      const group = await make();
      const limits = { shared_runners_minutes_limit: 5, extra_shared_runners_minutes_limit: 6 };
      const owners = await put(group.id, limits);
      assert.deepEqual([owners.status, owners.body.shared_runners_minutes_limit], [200, null]);
      const admin = await server.must(`PUT /groups/${group.id}`, { json: limits });
      assert.deepEqual([admin.shared_runners_minutes_limit, admin.extra_shared_runners_minutes_limit], [5, 6]);
    });

    const refused: [object, object][] = [
      [
        { unique_project_download_limit: 10_001 },
        { unique_project_download_limit: ['must be less than or equal to 10000'] },
      ],
      [
        { unique_project_download_limit_interval_in_seconds: 864_001 },
        { unique_project_download_limit_interval_in_seconds: ['must be less than or equal to 864000'] },
      ],
      [
        { unique_project_download_limit_alertlist: Array.from({ length: 101 }, (_, index) => index) },
        { unique_project_download_limit_alertlist: ['exceeds maximum length (100 user ids)'] },
      ],
      [{ max_artifacts_size: 0 }, { max_artifacts_size: ['must be greater than 0'] }],
      [{ ip_restriction_ranges: '10.0.0.0/33' }, { ip_restriction_ranges: ['is an invalid IP address range'] }],
      [
        { allowed_email_domains_list: 'a b' },
        { allowed_email_domains_list: ['The domain you entered is misformatted.'] },
      ],
      [{ file_template_project_id: 12345 }, { file_template_project_id: ['is invalid'] }],
      [{ path: 'x' }, { path: ['is too short (minimum is 2 characters)'] }],
      [{ description: 'x'.repeat(2001) }, { description: ['is too long (maximum is 2000 characters)'] }],
    ];
    for (const [change, message] of refused) {
      it(`reject ${JSON.stringify(change).slice(0, 50)}`, async () => {
        const answer = await put((await make()).id, change);
        assert.deepEqual([answer.status, answer.body], [400, { message }]);
      });
    }

    it('allow skipped pipelines only if pipelines must succeed', async () => {
      const answer = await put((await make()).id, { allow_merge_on_skipped_pipeline: true });
      const text =
        '400 Bad request - allow_merge_on_skipped_pipeline can only be enabled when ' +
        'only_allow_merge_if_pipeline_succeeds is true';
      assert.deepEqual([answer.status, answer.body], [400, { message: text }]);
    });

    it('rename a group with everything in it', async () => {
      const outer = await make();
      const inner = await make({ parent_id: outer.id });
      const project = await server.must('POST /projects', { json: { name: 'it', namespace_id: inner.id } });
      const { body } = await put(outer.id, { path: 'moved-away', name: 'Größe 🎉' });
      assert.deepEqual([body.full_path, body.full_name], ['moved-away', 'Größe 🎉']);
      const token = owner.token;
      const deep = await server.must(`GET /groups/${inner.id}`, { token });
      assert.equal(deep.full_path, `moved-away/${inner.path}`);
      assert.equal(deep.full_name, `Größe 🎉 / ${inner.name}`);
      const path = `${deep.full_path}/it`;
      assert.equal((await server.must(`GET /projects/${encodeURIComponent(path)}`, { token })).id, project.id);
      const former = `${outer.path}/${inner.path}/it`;
      const moved = await server.api(`GET /projects/${encodeURIComponent(former)}`, { token });
      assert.equal(moved.status, 301);
      assert.equal((await server.api(`GET /groups/${outer.path}`, { token })).status, 404);
      const again = await put(outer.id, { name: 'Short' });
      assert.equal(again.body.full_name, 'Short');
      assert.equal((await server.must(`GET /groups/${inner.id}`, { token })).full_name, `Short / ${inner.name}`);
      const taker = await make({ path: outer.path });
      assert.equal(taker.full_path, outer.path);
    });

    it('keep the visibility between that of the parent and of the children', async () => {
      const outer = await make({ visibility: 'internal' });
      const tooWide = await server.api('POST /groups', {
        token: owner.token,
        json: { name: 'W', path: 'too-wide', parent_id: outer.id, visibility: 'public' },
      });
      assert.equal(
        tooWide.body.message,
        'Failed to save group {:visibility_level=>["public is not allowed since the parent group has a internal visibility."]}',
      );
      const inner = await make({ parent_id: outer.id, visibility: 'internal' });
      const wide = await put(inner.id, { visibility: 'public' });
      assert.deepEqual(wide.body.message, {
        visibility_level: ['public is not allowed since the parent group has a internal visibility.'],
      });
      const narrow = await put(outer.id, { visibility: 'private' });
      assert.deepEqual(narrow.body.message, {
        visibility_level: ['private is not allowed since there are sub-groups with higher visibility.'],
      });
      const json = { name: 'p', namespace_id: inner.id, visibility: 'internal' };
      await server.must('POST /projects', { json });
      const holding = await put(inner.id, { visibility: 'private' });
      assert.deepEqual(holding.body.message, {
        visibility_level: ['private is not allowed since this group contains projects with higher visibility.'],
      });
      assert.equal((await put(outer.id, { visibility: 'public' })).status, 200);
    });

    it('are restricted to owners', async () => {
      const group = await make();
      const maintainer = await addUser(server, 'maintainer');
      const json = { user_id: maintainer.id, access_level: 40 };
      await server.must(`POST /groups/${group.id}/members`, { token: owner.token, json });
      const answer = await put(group.id, { name: 'Mine' }, maintainer.token);
      assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    });

    it('set, serve, replace and clear the avatar', async () => {
      const group = await make({ visibility: 'public' });
      const { token } = owner;
      const none = await server.api(`GET /groups/${group.id}/avatar`, { token: null });
      assert.deepEqual([none.status, none.body], [404, { message: '404 Avatar Not Found' }]);
      const set = await server.api(`PUT /groups/${group.id}`, { token, body: upload('my face.png') });
      assert.equal(set.body.avatar_url, `${server.url}/uploads/-/system/group/avatar/${group.id}/my_face.png`);
      const file = await fetch(`${server.url}/api/v4/groups/${group.id}/avatar`);
      assert.equal(file.headers.get('content-type'), 'image/png');
      assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="my_face.png"/);
      assert.deepEqual(Buffer.from(await file.arrayBuffer()), png);
      const page = async (url: string, headers = {}) => (await fetch(url, { headers })).status;
      assert.equal(await page(set.body.avatar_url), 200);
      assert.equal(await page(set.body.avatar_url.replace('my_face', 'other')), 404);
      await put(group.id, { visibility: 'private' });
      assert.equal(await page(set.body.avatar_url), 404);
      assert.equal(await page(set.body.avatar_url, { 'private-token': token }), 200);
      const bad = await server.api(`PUT /groups/${group.id}`, { token, body: upload('x.svg') });
      assert.equal(bad.status, 400);
      assert.match(bad.body.message.avatar[0], /^file format is not supported/);
      const big = await server.api(`PUT /groups/${group.id}`, { token, body: upload('x.png', Buffer.alloc(204_801)) });
      assert.deepEqual(big.body, { message: { avatar: ['is too big (should be at most 200 KiB)'] } });
      assert.equal((await put(group.id, { avatar: 'text' })).body.error, 'avatar is invalid');
      const cleared = await put(group.id, { avatar: '' });
      assert.equal(cleared.body.avatar_url, null);
      assert.equal((await server.api(`GET /groups/${group.id}/avatar`, { token })).status, 404);
    });

    it('accept an avatar on creation', async () => {
      const form = upload('new.gif');
      form.set('name', 'With a face');
      form.set('path', 'with-a-face');
      const group = await server.must('POST /groups', { token: owner.token, body: form });
      assert.match(group.avatar_url, /new\.gif$/);
      const wrong = upload('new.exe');
      wrong.set('name', 'X');
      wrong.set('path', 'without-a-face');
      const answer = await server.api('POST /groups', { token: owner.token, body: wrong });
      assert.match(answer.body.message, /^Failed to save group \{:avatar=>\["file format is not supported/);
    });
  });
});
