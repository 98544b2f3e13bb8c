import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { sshKeyPair } from '../support/ssh-keys.ts';

forEachEngine((engine) => {
  describe('settings pages', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    let username: string;
    const home = '/crew/tool';
    const url = '/projects/crew%2Ftool';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      username = user.username;
      reader = new Browser(server);
      await reader.signIn(username, 'long enough 4 you');
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    const submit = (page: string, to: string, fields: Record<string, string>) => browser.send(page, to, fields);

    const refused = async (to: string, fields: Record<string, string>) => {
      const answer = await reader.fill('/', to, fields);
      assert.ok(answer.status >= 400 && answer.status < 500, `${to}: ${answer.status}`);
      assert.equal((await browser.post(to, fields)).status, 422, `forged: ${to}`);
    };

    it('create a group, a subgroup and a project with a README', async () => {
      const created = await submit('/groups/new', '/groups', {
        name: 'Crew',
        path: 'crew',
        visibility: 'public',
        description: hostile.markdown,
      });
      assert.equal(created, '/crew');
      assert.match(await openPage('/crew'), /marker3/);
      const { id } = await server.must('GET /groups/crew');
      const below = { name: 'Below', path: 'below', visibility: 'private', parent_id: String(id) };
      assert.equal(await submit(`/groups/new?parent_id=${id}`, '/groups', below), '/crew/below');
      assert.match(await openPage('/crew'), /Crew \/ Below/);
      const repeated = await browser.fill('/groups/new', '/groups', below);
      assert.equal(repeated.status, 422, repeated.text);
      const space = { namespace_id: String(id), visibility: 'public' };
      const project = await submit('/projects/new', '/projects', {
        ...space,
        name: 'tool',
        initialize_with_readme: 'true',
      });
      assert.equal(project, home);
      const bad = await browser.fill('/projects/new', '/projects', { ...space, name: hostile.element });
      assert.equal(bad.status, 422);
      assertHarmless(bad.text, 'new project');
    });

    it('respond with 403 instead of a sign-in redirect without the role', async () => {
      for (const page of ['/-/settings/mirrors', '/-/settings/access_tokens']) {
        const answer = await reader.open(home + page);
        assert.equal(answer.status, 403, page);
        assert.doesNotMatch(answer.text, /Please sign in/, page);
      }
    });

    it('update a project: names, features and merge settings', async () => {
      const general = {
        name: 'tool',
        path: 'tool',
        description: hostile.element,
        topics: 'a, b',
        default_branch: 'main',
      };
      await submit(`${home}/edit`, `${home}/-/settings/general/general`, { ...general, visibility: 'internal' });
      await submit(`${home}/edit`, `${home}/-/settings/general/general`, { ...general, visibility: 'public' });
      await submit(`${home}/edit`, `${home}/-/settings/general/merging`, {
        merge_method: 'ff',
        squash_option: 'never',
      });
      const features = ['issues', 'repository', 'merge_requests', 'forking', 'builds', 'wiki', 'snippets', 'releases'];
      features.push(
        'package_registry',
        'container_registry',
        'environments',
        'feature_flags',
        'infrastructure',
        'monitor',
      );
      const levels = Object.fromEntries(features.map((name) => [`${name}_access_level`, 'enabled']));
      await submit(`${home}/edit`, `${home}/-/settings/general/features`, {
        ...levels,
        snippets_access_level: 'disabled',
      });
      await submit(`${home}/edit`, `${home}/-/settings/general/pipelines`, {
        ci_config_path: 'ci/main.yml',
        build_timeout: '1800',
        ci_default_git_depth: '0',
        auto_cancel_pending_pipelines: 'disabled',
      });
      const { ci_config_path, build_timeout, ci_default_git_depth, public_jobs } = await server.must(`GET ${url}`);
      assert.deepEqual(
        [ci_config_path, build_timeout, ci_default_git_depth, public_jobs],
        ['ci/main.yml', 1800, 0, false],
      );
      await server.must(`PUT ${url}`, {
        json: { ci_config_path: '', public_jobs: true, shared_runners_enabled: true },
      });
      const project = await server.must(`GET ${url}`);
      assert.deepEqual(
        [project.topics, project.merge_method, project.squash_option, project.snippets_access_level],
        [['a', 'b'], 'ff', 'never', 'disabled'],
      );
      const page = await openPage(`${home}/edit`);
      assert.match(page, /marker1[\s\S]*value="disabled" selected/);
      assert.doesNotMatch(await openPage(home), /\/-\/snippets"/);
      await submit(`${home}/edit`, `${home}/-/settings/general/features`, levels);
      const wrong = await browser.fill(`${home}/edit`, `${home}/-/settings/general/general`, { ...general, name: '' });
      assert.equal(wrong.status, 422, wrong.text);
      await refused(`${home}/-/settings/general/general`, { ...general, visibility: 'private' });
    });

    it('toggle push protection', async () => {
      const page = `${home}/-/settings/push_protection`;
      const isOn = async () =>
        (await server.must(`GET /projects/${encodeURIComponent(home.slice(1))}/security_settings`))
          .secret_push_protection_enabled;
      assert.match(await openPage(`${home}/edit`), /Push protection/);
      await submit(page, page, { secret_push_protection_enabled: 'true' });
      assert.equal(await isOn(), true);
      assert.match(await openPage(page), /checked/);
      await refused(page, { secret_push_protection_enabled: 'false' });
      await submit(page, page, {});
      assert.equal(await isOn(), false);
    });

    it('add, update and remove members', async () => {
      for (const [page, api] of [
        [`${home}/-/project_members`, `${url}/members`],
        ['/groups/crew/-/group_members', '/groups/crew/members'],
      ] as const) {
        await submit(page, page, { username, access_level: '20' });
        assert.match(await openPage(page), new RegExp(`@${username} · Reporter`));
        const user = (await server.must(`GET ${api}`)).find((one: { username: string }) => one.username === username);
        await submit(page, `${page}/edit?id=${user.id}`, { access_level: '30', expires_at: '2099-01-01' });
        assert.equal((await server.must(`GET ${api}/${user.id}`)).access_level, 30);
        await openPage(`${page}/all`);
        const nobody = await browser.fill(page, page, { username: 'nobody-here', access_level: '20' });
        assert.equal(nobody.status, 422);
        assert.match(nobody.text, /There is no user nobody-here[\s\S]*value="nobody-here"/);
        await refused(`${page}/act`, { action: 'remove', id: '1' });
        await submit(page, `${page}/act`, { action: 'remove', id: String(user.id) });
        assert.equal((await server.api(`GET ${api}/${user.id}`)).status, 404);
      }
    });

    const kept: readonly (readonly [page: string, api: string, fields: Record<string, string>])[] = [
      [
        '/-/settings/branches',
        '/protected_branches',
        { name: 'release/*', push_access_level: '40', merge_access_level: '30' },
      ],
      ['/-/settings/tags', '/protected_tags', { name: 'v*', create_access_level: '40' }],
      ['/-/settings/deploy_keys', '/deploy_keys', { title: hostile.attribute, key: sshKeyPair().public }],
      ['/-/settings/deploy_tokens', '/deploy_tokens', { name: hostile.element, scopes: 'read_repository' }],
      [
        '/-/settings/access_tokens',
        '/access_tokens',
        { name: hostile.element, scopes: 'read_api', access_level: '30', expires_at: '2027-01-01' },
      ],
      ['/-/hooks', '/hooks', { url: 'https://example.com/hook', push_events: 'true', enable_ssl_verification: 'true' }],
      [
        '/-/settings/integrations',
        '/integrations',
        { slug: 'slack', webhook: 'https://example.com/chat', branches_to_be_notified: 'all', issues_events: 'true' },
      ],
      [
        '/-/settings/variables',
        '/variables',
        { key: 'COLOUR', value: 'red', variable_type: 'env_var', environment_scope: 'prod/*' },
      ],
      ['/-/settings/triggers', '/triggers', { description: hostile.comment }],
    ];

    for (const [path, api, fields] of kept) {
      it(`add and remove items at ${path}`, async () => {
        const page = home + path;
        const before = (await server.must(`GET ${url}${api}`)).length;
        const added = await browser.fill(page, page, fields);
        assert.ok(added.status === 303 || added.status === 200, `${added.status} ${added.text}`);
        if (added.status === 200) {
          assertHarmless(added.text, page);
          assert.match(added.text, /shown only once/);
        }
        assert.equal((await server.must(`GET ${url}${api}`)).length, before + 1);
        const text = await openPage(page);
        const ids = [...text.matchAll(/name="id" value="([^"]*)"/g)].map(([, id = '']) => id.replaceAll('&quot;', '"'));
        const id = path === '/-/settings/branches' ? 'release/*' : (ids.at(-1) ?? '');
        await refused(page, fields);
        const action = /name="action" value="(remove|revoke|unprotect)"/.exec(text)?.[1] ?? '';
        await refused(`${page}/act`, { action, id });
        await submit(page, `${page}/act`, { action, id });
        const left = await server.must(`GET ${url}${api}`);
        const active = left.filter((one: { revoked?: boolean }) => one.revoked !== true);
        assert.equal(active.length, before, JSON.stringify(left));
        assert.ok(
          [403, 404].includes((await reader.open(page)).status) ||
            !(await reader.open(page)).text.includes(`${page}/act`),
        );
        assert.match((await new Browser(server).open(page)).headers.get('location') ?? '', /sign_in/);
      });
    }

    it('preselect protected variables, unless disabled on the instance', async () => {
      const page = `${home}/-/settings/variables`;
      const box = async () => /<input[^>]*name="protected"[^>]*>/.exec(await openPage(page))?.[0] ?? '';
      assert.match(await box(), / checked/);
      await server.must('PUT /application/settings', { json: { protected_ci_variables: false } });
      assert.doesNotMatch(await box(), / checked/);
      await server.must('PUT /application/settings', { json: { protected_ci_variables: true } });
    });

    it('update a variable and keep other attributes, and a webhook without its secret', async () => {
      const page = `${home}/-/settings/variables`;
      await submit(page, page, { key: 'SIZE', value: 'large', environment_scope: '*', variable_type: 'env_var' });
      const edit = `${page}/edit?id=${encodeURIComponent('["SIZE","*"]')}`;
      for (const list of [page, `${home}/-/settings/approval_rules`, '/admin/variables'])
        for (const query of ['', '?id=']) {
          assert.equal((await browser.open(`${list}/edit${query}`)).status, 404, `${list}${query}`);
          assert.equal((await browser.fill(page, `${list}/edit${query}`, {})).status, 404, `${list}${query}`);
        }
      assert.match(await openPage(page), /data-turbo-confirm="Delete: are you sure\?"/);
      assert.match(await openPage(edit), /large/);
      await submit(edit, edit, { value: hostile.comment, variable_type: 'file', protected: 'true' });
      const variable = await server.must(`GET ${url}/variables/SIZE`);
      assert.deepEqual([variable.value, variable.variable_type, variable.protected], [hostile.comment, 'file', true]);
      await openPage(edit);
      await submit(`${home}/-/hooks`, `${home}/-/hooks`, { url: 'https://example.com/a', token: 'secret' });
      const [hook] = await server.must(`GET ${url}/hooks`);
      await submit(`${home}/-/hooks`, `${home}/-/hooks/edit?id=${hook.id}`, {
        url: 'https://example.com/b',
        note_events: 'true',
      });
      const changed = await server.must(`GET ${url}/hooks/${hook.id}`);
      assert.deepEqual([changed.url, changed.note_events, changed.push_events], ['https://example.com/b', true, false]);
    });

    it('update a chat without its secret, and show an inherited one', async () => {
      const page = `${home}/-/settings/integrations`;
      const start = { slug: 'slack', webhook: 'https://example.com/hush', branches_to_be_notified: 'all' };
      await submit(page, page, { ...start, channel: hostile.comment, note_events: 'true' });
      const edit = `${page}/edit?id=slack`;
      assert.equal((await openPage(edit)).includes('hush'), false);
      await submit(page, edit, { branches_to_be_notified: 'protected', channel: '', push_events: 'true' });
      const chat = await server.must(`GET ${url}/integrations/slack`);
      assert.deepEqual([chat.push_events, chat.note_events, chat.properties.channel], [true, false, null]);
      assert.equal(chat.properties.branches_to_be_notified, 'protected');
      const wrong = await browser.fill(page, page, { slug: 'telegram', branches_to_be_notified: 'all' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /token is missing, room is missing/);
      assert.match(await openPage(page), /edit\?id=jira/);
      const redmine = `${page}/edit?id=redmine`;
      const addresses = { project_url: 'https://bugs.test', new_issue_url: 'https://bugs.test/new' };
      const none = await browser.fill(redmine, redmine, { ...addresses, issues_url: 'https://bugs.test' });
      assert.equal(none.status, 422);
      assert.match(none.text, /must contain :id/);
      await submit(page, redmine, { ...addresses, issues_url: 'https://bugs.test/:id' });
      assert.match(await openPage(page), /Redmine/);
      const tried = await browser.fill(page, `${page}/act`, { action: 'test', id: 'redmine' });
      assert.equal(tried.status, 422);
      assert.match(tried.text, /role="alert"/);
      await server.must(`DELETE ${url}/integrations/redmine`);
      const ofGroup = '/groups/crew/-/settings/integrations';
      await submit(ofGroup, ofGroup, { ...start, slug: 'pumble' });
      assert.match(await openPage(ofGroup), /Pumble/);
    });

    it('list and create project and group runners', async () => {
      for (const page of [`${home}/-/settings/runners`, '/groups/crew/-/settings/runners']) {
        const created = await browser.fill(page, page, { description: hostile.element, run_untagged: 'true' });
        assert.equal(created.status, 200, created.text);
        assert.match(created.text, /gitlab-runner register --non-interactive --url http:\S+ --token glrt-/);
        assert.match(await openPage(page), /marker1/);
        await refused(page, { description: 'mine' });
      }
      for (const path of ['deploy_tokens', 'access_tokens', 'variables'])
        await openPage(`/groups/crew/-/settings/${path}`);
      await openPage('/groups/crew/-/hooks');
    });

    it('update a group, and require its name to delete it', async () => {
      const page = '/groups/crew/-/edit';
      const fields = { name: 'Crew of many', path: 'crew', visibility: 'public', description: hostile.comment };
      const levels = { project_creation_level: 'maintainer', subgroup_creation_level: 'owner' };
      await submit(page, page, { ...fields, ...levels });
      assert.equal((await server.must('GET /groups/crew')).name, 'Crew of many');
      assert.match(await openPage(page), /marker4/);
      await refused(page, { ...fields, name: 'Taken' });
      assert.equal((await browser.fill(page, '/groups/crew/-/delete', { confirm: 'crews' })).status, 422);
      await refused('/groups/crew/-/delete', { confirm: 'crew' });
    });

    it('archive, unarchive and delete a project after confirmation', async () => {
      const danger = `${home}/-/settings/danger`;
      await submit(`${home}/edit`, danger, { action: 'archive' });
      assert.equal((await server.must(`GET ${url}`)).archived, true);
      await submit(`${home}/edit`, danger, { action: 'unarchive' });
      const wrong = await browser.fill(`${home}/edit`, danger, { action: 'delete', confirm: 'tool' });
      assert.equal(wrong.status, 422);
      await refused(danger, { action: 'delete', confirm: 'crew/tool' });
      assert.equal((await server.must(`GET ${url}`)).archived, false);
      await submit(`${home}/edit`, danger, { action: 'delete', confirm: 'crew/tool' });
    });

    it('allow administrators to manage users, runners, variables and hooks', async () => {
      const pages = [
        '/admin',
        '/admin/users',
        '/admin/groups',
        '/admin/projects',
        '/admin/runners',
        '/admin/variables',
        '/admin/hooks',
        '/admin/background_jobs',
        '/admin/audit_events',
        '/admin/application_settings',
      ];
      for (const page of pages) {
        await openPage(page);
        assert.equal((await reader.open(page)).status, 404, page);
        assert.equal((await new Browser(server).open(page)).status, 303, page);
      }
      await openPage('/admin/audit_events?created_after=2020-01-01&created_before=2100-01-01');
      await openPage('/admin/projects?show=archived&search=tool');
      await openPage('/admin/runners?type=instance_type&status=online&tag_list=a');
      assert.match(await openPage('/'), /href="\/admin"/);
      assert.doesNotMatch(await openPage('/', reader), /href="\/admin"/);

      const person = { name: hostile.element, username: 'newcomer', email: 'newcomer@example.com' };
      await submit('/admin/users', '/admin/users', { ...person, password: 'long enough 4 them' });
      const [created] = await server.must('GET /users?username=newcomer');
      assert.match(await openPage('/admin/users'), /@newcomer/);
      const act = { id: String(created.id) };
      await submit('/admin/users', '/admin/users/act', { ...act, action: 'block' });
      assert.equal((await server.must(`GET /users/${created.id}`)).state, 'blocked');
      await submit('/admin/users', '/admin/users/act', { ...act, action: 'unblock' });
      await refused('/admin/users/act', { ...act, action: 'block' });
      await refused('/admin/users', { ...person, username: 'second', password: 'long enough 4 them' });
      const renamed = { ...person, name: 'Plain' };
      await submit(`/admin/users/edit?id=${created.id}`, `/admin/users/edit?id=${created.id}`, renamed);
      assert.equal((await server.must(`GET /users/${created.id}`)).name, 'Plain');

      await submit('/admin/variables', '/admin/variables', { key: 'EVERYWHERE', value: '1', variable_type: 'env_var' });
      await submit('/admin/variables', '/admin/variables/act', { action: 'remove', id: 'EVERYWHERE' });
      assert.deepEqual(await server.must('GET /admin/ci/variables'), []);
      const wanted = { description: hostile.attribute, run_untagged: 'true' };
      const runner = await browser.fill('/admin/runners', '/admin/runners', wanted);
      assert.equal(runner.status, 200, runner.text);
      assert.match(runner.text, /glrt-/);
      assertHarmless(runner.text, 'runner');
      await submit('/admin/hooks', '/admin/hooks', { url: 'https://example.com/told', push_events: 'true' });
      assert.match(await openPage('/admin/hooks'), /example\.com\/told/);
      const settings = '/admin/application_settings';
      const visibility = { default_project_visibility: 'internal', default_group_visibility: 'private' };
      const people = { email_confirmation_setting: 'hard', domain_allowlist: 'a.example, *.b.example' };
      const places = { ...visibility, default_branch_name: 'trunk', max_attachment_size: '50' };
      await submit(settings, settings, { ...places, ...people, after_sign_up_text: hostile.attribute });
      const stored = await server.must('GET /application/settings');
      assert.deepEqual(stored.domain_allowlist, ['a.example', '*.b.example']);
      assert.match(await openPage(settings), /value="a\.example, \*\.b\.example"/);
      await submit(settings, settings, { ...places, email_confirmation_setting: 'off', domain_allowlist: '' });
      assert.deepEqual((await server.must('GET /application/settings')).domain_allowlist, []);
      assert.deepEqual([stored.default_branch_name, stored.max_attachment_size], ['trunk', 50]);
      assert.equal(stored.default_project_visibility, 'internal');
      assert.match(await openPage('/admin/audit_events'), /Audit events/);
    });

    it('allow administrators to manage a user', async () => {
      const { id, username: name } = await addUser(server);
      const page = `/admin/users/${id}`;
      assert.match(await openPage('/admin/users'), new RegExp(`href="${page}"`));
      assert.match(await openPage(`/admin/users?search=${name}&show=active`), new RegExp(`href="${page}"`));
      assert.doesNotMatch(await openPage('/admin/users?show=admins'), new RegExp(`href="${page}"`));
      for (const view of ['', '/memberships', '/keys', '/gpg_keys', '/emails', '/impersonation_tokens']) {
        await openPage(page + view);
        assert.equal((await reader.open(page + view)).status, 404, view);
      }
      assert.equal((await browser.open('/admin/users/999999')).status, 404);
      const stateOf = async () => (await server.must(`GET /users/${id}`)).state;
      for (const [action, state] of [
        ['block', 'blocked'],
        ['unblock', 'active'],
        ['ban', 'banned'],
        ['unban', 'active'],
      ] as const) {
        await submit(page, `${page}/act`, { action });
        assert.equal(await stateOf(), state);
      }
      assert.doesNotMatch(await openPage(page), /Unblock|Approve/);
      await refused(`${page}/act`, { action: 'block' });
      assert.equal((await browser.fill(page, `${page}/act`, { action: 'constructor' })).status, 404);
      const active = await browser.fill(page, `${page}/act`, { action: 'unban' });
      assert.equal(active.status, 422, 'refusals are shown on the page');
      assert.match(active.text, /You cannot unban active users/);
      const { public: key } = sshKeyPair();
      await submit(`${page}/keys`, `${page}/keys`, { title: hostile.element, key });
      assert.match(await openPage(`${page}/keys`), /ssh-ed25519/);
      const token = { name: 'support', expires_at: '2027-01-01', scopes: 'api' };
      const created = await browser.fill(`${page}/impersonation_tokens`, `${page}/impersonation_tokens`, token);
      assert.match(created.text, /glpat-/);
      const [kept] = await server.must(`GET /users/${id}/impersonation_tokens`);
      await submit(page, `${page}/impersonation_tokens/act`, { action: 'remove', id: String(kept.id) });
      const own = await openPage('/admin/users/1');
      assert.doesNotMatch(own, /Delete account|>Block</, 'administrators cannot block themselves');
      const wrong = await browser.fill(page, `${page}/remove`, { confirm: 'somebody' });
      assert.equal(wrong.status, 422);
      await refused(`${page}/remove`, { confirm: name });
      assert.equal(await submit(page, `${page}/remove`, { confirm: name, hard_delete: 'true' }), '/admin/users');
      await server.running.services.queue.drain();
      assert.equal((await server.api(`GET /users/${id}`)).status, 404);
    });

    it('manage topics, broadcast messages, appearance and limits', async () => {
      const pages = ['/admin/topics', '/admin/broadcast_messages', '/admin/appearance', '/admin/plan_limits'];
      for (const page of pages) {
        await openPage(page);
        assert.equal((await reader.open(page)).status, 404, page);
        await refused(page, { name: 'x', title: 'x', message: 'x' });
      }
      const topic = { name: 'brewing', title: hostile.element, description: hostile.markdown };
      await submit('/admin/topics', '/admin/topics', topic);
      await openPage('/explore/projects/topics', reader);
      await openPage('/explore/projects/topics/Brewing', reader);
      assert.equal((await reader.open('/explore/projects/topics/nothing')).status, 404);
      assert.equal((await browser.fill('/admin/topics', '/admin/topics', topic)).status, 422);
      await submit('/admin/topics', '/admin/topics', { name: 'brewery', title: 'Brewery' });
      const merging = '/admin/topics/merge';
      assert.match(await openPage('/admin/topics'), /href="\/admin\/topics\/merge"/);
      assert.equal((await reader.open(merging)).status, 404);
      await refused(merging, { source: 'brewery', target: 'brewing' });
      for (const [source, target] of [
        ['brewer', 'brewing'],
        ['brewery', hostile.element],
        ['', 'brewing'],
        ['brewing', 'brewing'],
      ] as const) {
        const wrong = await browser.fill(merging, merging, { source, target });
        assert.equal(wrong.status, 422, source);
        assertHarmless(wrong.text, merging);
      }
      await submit(merging, merging, { source: 'Brewery ', target: 'brewing' });
      const named = (await server.must('GET /topics?search=brew')).map(({ name }: { name: string }) => name);
      assert.deepEqual(named, ['brewing']);
      await openPage('/explore/snippets', reader);
      assert.equal((await new Browser(server).open('/explore/snippets')).status, 303);
      const message = { message: hostile.markdown, broadcast_type: 'banner', theme: 'red', target_path: '/nowhere' };
      await submit('/admin/broadcast_messages', '/admin/broadcast_messages', message);
      const [said] = await server.must('GET /broadcast_messages');
      const change = `/admin/broadcast_messages/edit?id=${said.id}`;
      assert.match(await openPage(change), /value="\/nowhere"/);
      await submit(change, change, { ...message, theme: 'blue', starts_at: '', ends_at: '2030-01-01T00:00:00Z' });
      const [changed] = await server.must('GET /broadcast_messages');
      assert.deepEqual([changed.theme, changed.ends_at.slice(0, 4)], ['blue', '2030']);
      const limits = await server.must('GET /application/plan_limits');
      const numbers = Object.entries(limits).flatMap(([name, value]) =>
        typeof value === 'number' ? [[name, String(value)]] : [],
      );
      await submit('/admin/plan_limits', '/admin/plan_limits', {
        ...Object.fromEntries(numbers),
        dotenv_variables: '7',
      });
      assert.equal((await server.must('GET /application/plan_limits')).dotenv_variables, 7);
      const look = { title: hostile.element, message_background_color: '#000000', message_font_color: '#ffffff' };
      await submit('/admin/appearance', '/admin/appearance', look);
      await openPage('/');
      await server.must('PUT /application/appearance', { json: { title: '' } });
      const pictures = '/admin/appearance/pictures';
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      const upload = async (picture: string, bytes: Uint8Array, name = 'logo.png') => {
        const proof = { authenticity_token: tokenIn(await openPage(pictures)) };
        return browser.upload(pictures, { ...proof, picture }, bytes, name);
      };
      assert.equal((await upload('header_logo', png)).status, 303);
      assert.match(await openPage(pictures), /header_logo[^"]*logo\.png"/);
      assert.equal((await upload('header_logo', png, 'logo.exe')).status, 422);
      assert.equal((await upload('constructor', png)).status, 404);
      await submit(pictures, `${pictures}/remove`, { picture: 'header_logo' });
      assert.equal((await server.must('GET /application/appearance')).header_logo, null);
      await refused(`${pictures}/remove`, { picture: 'logo' });
    });

    it('manage badges, shares and bans, show audit events, and transfer a group', async () => {
      const below = await server.must('POST /groups', { json: { name: 'Kept', path: 'kept', visibility: 'public' } });
      const { id: projectId } = await server.must('POST /projects', {
        json: { name: 'pot', namespace_id: below.id, visibility: 'public' },
      });
      for (const place of ['/kept/pot', '/groups/kept']) {
        const badges = `${place}/-/settings/badges`;
        const fields = {
          name: hostile.element,
          link_url: 'https://example.com/%{project_path}',
          image_url: 'https://example.com/x',
        };
        await submit(badges, badges, fields);
        await openPage(badges);
        const shares = `${place}/-/settings/shared_groups`;
        await submit(shares, shares, { group: 'crew', group_access: '30' });
        assert.match(await openPage(shares), /crew<\/a>.*Developer at most/s);
        const nowhere = await browser.fill(shares, shares, { group: 'no/such', group_access: '30' });
        assert.ok([404, 422].includes(nowhere.status), `${nowhere.status}`);
        const { id } = await server.must('GET /groups/crew');
        await submit(shares, `${shares}/act`, { action: 'remove', id: String(id) });
        await openPage(`${place}/-/audit_events`);
        for (const path of [badges, shares]) await refused(path, { ...fields, group: 'crew' });
        assert.equal((await reader.open(`${place}/-/audit_events`)).status, 403);
      }
      assert.match(await openPage('/kept/pot/-/settings/badges'), /of a group/);
      const person = await addUser(server);
      await server.must(`POST /projects/${projectId}/members`, { json: { user_id: person.id, access_level: 30 } });
      const bans = '/groups/kept/-/settings/bans';
      await submit(bans, bans, { username: `@${person.username}` });
      assert.match(await openPage(bans), new RegExp(`@${person.username}`));
      assert.equal((await browser.fill(bans, bans, { username: 'nobody-of-this-name' })).status, 404);
      await submit(bans, `${bans}/act`, { action: 'lift', id: String(person.id) });
      await refused(bans, { username: person.username });
      const { id: crewId } = await server.must('GET /groups/crew');
      const moved = await submit('/groups/kept/-/edit', '/groups/kept/-/transfer', { group_id: String(crewId) });
      assert.equal(moved, '/groups/crew/kept/-/edit');
      assert.equal((await reader.fill('/', '/groups/crew/kept/-/transfer', { group_id: '' })).status, 403);
      assert.equal(await submit(moved, '/groups/crew/kept/-/transfer', { group_id: '' }), '/groups/kept/-/edit');
      const links = '/groups/kept/-/settings/ldap_group_links';
      assert.match(await openPage(links), /No LDAP groups/);
      await submit(links, links, { provider: 'ldapmain', cn: hostile.element, group_access: '30' });
      await submit(links, links, { provider: 'ldapmain', filter: '(a=b)', group_access: '20' });
      const shown = await openPage(links);
      for (const [, id = ''] of shown.matchAll(/name="id" value="([^"]+)"/g)) {
        await submit(links, `${links}/act`, { action: 'remove', id: id.replaceAll('&amp;', '&') });
      }
      assert.match(await openPage(links), /No LDAP groups/);
      await refused(links, { provider: 'ldapmain', cn: 'x', group_access: '30' });
    });
  });
});
