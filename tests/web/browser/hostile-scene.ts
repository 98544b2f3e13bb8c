import { gzipSync } from 'node:zlib';
import { termsDigest } from '../../../src/access/credentials/terms-enforcement.ts';
import { basic, RegistryClient } from '../../ci/registry/registry-client.ts';
import { RunnerClient } from '../../ci/runner-client.ts';
import { addTracked, counted, exceptionEvent, report } from '../../error-tracking/tracking.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { addPerson } from '../../support/scene.ts';
import { rootToken, type TestServer } from '../../support/server.ts';
import { addHostileImports } from './hostile-imports.ts';

/**
 * A text that injects an element, an attribute or a script into a page that does not escape it; `name` identifies it.
 */
export const evil = (name: string) =>
  `evil-${name} "><x-evil data-evil="1" onmouseover=alert(1)></x-evil><img src=x onerror=alert(1)>' onfocus='alert(1)`;

/** The same for Markdown, which allows some HTML and all links. */
export const evilText = (name: string) =>
  `${evil(name)}\n\n[a](javascript:alert(1)) ![b](javascript:alert(1)) <a href="javascript:alert(1)" data-evil="1">c</a> <iframe src="//evil.example"></iframe> <style>body{display:none}</style> <form action="//evil.example"><input name="x"></form> <svg onload=alert(1)><script>alert(1)</script></svg> \`\`<script>alert(1)</script>\`\`\n\n\`\`\`"><x-evil data-evil="1">\n</code></pre><script>alert(1)</script>\n\`\`\`\n\n- [ ] <img src=x onerror=alert(1)>\n\n:evil"><x-evil>: @"><x-evil> #1"><x-evil>\n`;

/** Git does not allow spaces in ref names. */
export const evilRef = (name: string) => `evil-${name}"><img/src=x'onerror=alert(1)>`;

export interface HostileScene {
  /** Pages that may show the texts. */
  readonly pages: readonly string[];
  /** What the API rejected. */
  readonly refused: readonly string[];
  /** Texts accepted by the API, each of which must occur on one of the pages. */
  readonly written: readonly string[];
}

/** Creates an object of every kind with user-supplied text, using hostile texts. */
export async function addHostileScene(server: TestServer): Promise<HostileScene> {
  const written: string[] = [];
  const use = (name: string) => {
    written.push(`evil-${name}`);
    return evil(name);
  };
  const useText = (name: string) => {
    written.push(`evil-${name}`);
    return evilText(name);
  };
  const useRef = (name: string) => {
    written.push(`evil-${name}`);
    return evilRef(name);
  };
  const refused: string[] = [];
  const must = async (call: string, json: unknown) => {
    const answer = await server.api(call, { json });
    if (answer.status >= 300) refused.push(`${call}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer.body;
  };

  await must('PUT /users/1', {
    name: use('user-name'),
    bio: use('bio'),
    job_title: use('job'),
    organization: use('company'),
    location: use('place'),
    pronouns: 'x"><x-evil>',
  });
  await must('PUT /user/status', { emoji: 'coffee', message: use('status').slice(0, 100) });
  await must('PUT /application/appearance', {
    title: use('instance'),
    header_message: use('header'),
    footer_message: use('footer'),
    // Texts of the web app manifest, which is not a page.
    pwa_name: 'House',
    pwa_short_name: 'House',
    // Shown on the sign-in page only, which these pages do not include.
    description: evil('instance-text'),
    member_guidelines: use('member-guidelines'),
    new_project_guidelines: use('project-guidelines'),
  });
  for (const broadcast_type of ['banner', 'notification']) {
    await must('POST /broadcast_messages', { message: useText(`broadcast-${broadcast_type}`), broadcast_type });
  }
  const group = await must('POST /groups', {
    name: 'House',
    path: 'house',
    visibility: 'public',
    description: use('group'),
  });
  const { id } = await must('POST /projects', {
    name: 'lamp',
    namespace_id: group.id,
    visibility: 'public',
    description: use('project'),
  });
  const url = `/projects/${id}`;
  const file = `dir"><x-evil>/${evilRef('file')}.txt`;
  const action = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  const ci = JSON.stringify({
    stages: ['"><x-evil>stage'],
    [evil('job-name')]: {
      stage: '"><x-evil>stage',
      script: 'x',
      artifacts: { paths: ['x'] },
    },
  });
  written.push('evil-job-name', 'evil-file');
  await must(`POST ${url}/repository/commits`, {
    branch: 'main',
    author_name: use('author'),
    author_email: 'a@example.com',
    commit_message: `${use('commit-title')}\n\n${use('commit-text')}`,
    actions: [
      action('README.md', useText('readme')),
      action(file, use('line')),
      action('a.js', `const a = "${use('code')}"; // ${evil('code')}\n`),
      action('a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'),
      action('b.diff', evil('code')),
      action('.gitlab-ci.yml', ci),
    ],
  });
  const branch = useRef('branch');
  await must(`POST ${url}/repository/commits`, {
    branch,
    start_branch: 'main',
    commit_message: use('second'),
    actions: [action(`new-${evilRef('new-file')}`, use('added'))],
  });
  const tag = useRef('tag');
  await must(`POST ${url}/repository/tags`, { tag_name: tag, ref: 'main', message: use('tag-message') });
  await must(`POST ${url}/releases`, {
    tag_name: tag,
    name: use('release'),
    description: useText('release-text'),
    assets: { links: [{ name: use('release-link'), url: 'https://example.com/?%22%3E' }] },
  });
  await must(`POST ${url}/labels`, {
    name: use('label').replaceAll(',', ''),
    color: '#ff0000',
    description: use('label-text'),
  });
  const milestone = await must(`POST ${url}/milestones`, {
    title: use('milestone'),
    description: useText('milestone-text'),
  });
  await must(`POST /groups/${group.id}/labels`, { name: use('group-label'), color: '#00ff00', description: evil('x') });
  await must(`POST /groups/${group.id}/milestones`, { title: use('group-milestone'), description: evilText('x') });
  const board = await must(`POST ${url}/boards`, { name: use('board') });
  const labels = await server.must(`GET ${url}/labels`);
  await must(`POST ${url}/boards/${board.id}/lists`, { label_id: labels[0].id });
  await must(`POST ${url}/issues`, {
    title: use('issue'),
    description: useText('issue-text'),
    labels: labels[0].name,
    milestone_id: milestone.id,
    assignee_ids: [1],
  });
  await must(`POST ${url}/issues/1/notes`, { body: useText('note') });
  await must(`POST ${url}/issues/1/award_emoji`, { name: 'thumbsup' });
  const request = await must(`POST ${url}/merge_requests`, {
    title: use('request'),
    description: useText('request-text'),
    source_branch: branch,
    target_branch: 'main',
    assignee_ids: [1],
  });
  await server.running.services.queue.drain();
  const { diff_refs: refs } = await server.must(`GET ${url}/merge_requests/1`);
  const path = `new-${evilRef('new-file')}`;
  await must(`POST ${url}/merge_requests/1/discussions`, {
    body: `${useText('thread')}\n\n\`\`\`suggestion\n${evil('suggestion')}\n\`\`\`\n`,
    position: { position_type: 'text', ...refs, old_path: path, new_path: path, new_line: 1 },
  });
  const { id: tip } = await server.must(`GET ${url}/repository/commits/main`);
  await must(`POST ${url}/repository/commits/${tip}/discussions`, { body: useText('commit-note') });
  await must(`POST ${url}/merge_requests/1/draft_notes`, { note: useText('draft') });
  await must(`POST ${url}/wikis`, { title: use('wiki').replaceAll('/', ''), content: useText('wiki-text') });
  const [wiki] = await server.must(`GET ${url}/wikis`);
  await must(`POST /groups/${group.id}/wikis`, {
    title: use('group-wiki').replaceAll('/', ''),
    content: useText('group-wiki-text'),
  });
  const [groupWiki] = await server.must(`GET /groups/${group.id}/wikis`);
  const snippet = await must(`POST ${url}/snippets`, {
    title: use('snippet'),
    description: useText('snippet-text'),
    visibility: 'public',
    files: [{ file_path: evilRef('snippet-file').replaceAll('/', ''), content: use('snippet-code') }],
  });
  const own = await must('POST /snippets', {
    title: use('own-snippet'),
    visibility: 'public',
    files: [{ file_path: 'a.md', content: useText('own-snippet-text') }],
  });
  await must(`POST ${url}/hooks`, {
    url: 'https://example.com/hook',
    name: use('hook'),
    description: evil('x'),
  });
  await must(`POST ${url}/external_status_checks`, {
    name: use('status-check'),
    external_url: 'https://example.com/check',
  });
  const rule = await must(`POST ${url}/approval_rules`, {
    name: use('approval-rule'),
    approvals_required: 0,
    usernames: ['root'],
  });
  await must(`POST /groups/${group.id}/epics`, { title: use('epic'), description: useText('epic-text') });
  await must(`POST /groups/${group.id}/epics`, { title: use('child-epic'), parent_id: 1, confidential: true });
  await must(`PUT ${url}/issues/1`, { epic_id: 1, weight: 3 });
  await must(`POST /groups/${group.id}/epics/1/notes`, { body: useText('epic-note') });
  await must(`POST /groups/${group.id}/iteration_cadences`, {
    title: use('cadence'),
    start_date: '2026-01-05',
    duration_in_weeks: 1,
  });
  const [iteration] = await server.must(`GET /groups/${group.id}/iterations?state=opened`);
  const epicBoard = await must(`POST /groups/${group.id}/epic_boards`, { name: use('epic-board') });
  await must(`POST /groups/${group.id}/epics/1/related_epics`, {
    target_group_id: String(group.id),
    target_epic_iid: 2,
    link_type: 'blocks',
  });
  const role = { base_access_level: 10, read_code: true };
  await must('POST /member_roles', { ...role, name: use('role'), description: use('role-text') });
  await must(`POST /groups/${group.id}/member_roles`, { ...role, name: use('group-role'), description: evil('x') });
  await must(`POST /groups/${group.id}/saml_group_links`, { saml_group_name: use('saml'), access_level: 20 });
  const groupBoard = await must(`POST /groups/${group.id}/boards`, { name: use('group-board') });
  await must(`POST ${url}/issues`, { title: use('incident'), issue_type: 'incident' });
  await must(`POST ${url}/issues/1/links`, { target_project_id: String(id), target_issue_iid: 2 });
  for (const place of [url, `/groups/${group.id}`])
    await must(`POST ${place}/invitations`, { email: 'evil-invited"><x-evil>@x.example', access_level: 10 });
  written.push('evil-invited');
  await must(`POST ${url}/pages/domains`, { domain: 'www.example.com' });
  await new RegistryClient(server.url, basic('root', rootToken)).pushImage('house/lamp', 'v1');
  const images = (await server.must(`GET ${url}/registry/repositories`))[0];
  const octets = { 'content-type': 'application/octet-stream' };
  await server.must(`PUT ${url}/packages/generic/lamp/1.0/lamp.bin`, { body: 'x', headers: octets });
  const [published] = await server.must(`GET ${url}/packages`);
  const chat = { webhook: 'https://example.com/chat', username: evil('x'), channel: use('chat-channel') };
  await must(`PUT ${url}/integrations/slack`, chat);
  await must(`PUT /groups/${group.id}/integrations/mattermost`, chat);
  const jira = { url: 'https://jira.example', username: use('jira-user'), password: 'x' };
  await must(`PUT ${url}/integrations/jira`, jira);
  await must(`POST /groups/${group.id}/hooks`, {
    url: 'https://example.com/hook',
    name: use('group-hook'),
  });
  await must('POST /hooks', { url: 'https://example.com/hook', name: use('system-hook') });
  await must(`POST ${url}/variables`, { key: 'evil_key', value: use('variable'), description: use('variable-text') });
  await must(`PUT /groups/${group.id}/dependency_proxy`, { identity: use('proxy-identity'), secret: 'x' });
  await must(`POST /groups/${group.id}/variables`, { key: 'evil_key', value: evil('x') });
  await must('POST /admin/ci/variables', { key: 'evil_key', value: evil('x') });
  await must(`POST ${url}/triggers`, { description: use('trigger') });
  await must(`POST ${url}/pipeline_schedules`, { description: use('schedule'), ref: 'main', cron: '0 1 * * *' });
  const place = await must(`POST ${url}/environments`, { name: 'evil', description: use('environment-text') });
  const { id: deployedSha } = (await server.must(`GET ${url}/repository/branches/${encodeURIComponent(branch)}`))
    .commit;
  await must(`POST ${url}/deployments`, {
    environment: 'evil',
    sha: deployedSha,
    ref: branch,
    tag: false,
    status: 'success',
  });
  await must(`POST ${url}/feature_flags`, {
    name: 'evil_flag',
    description: use('flag'),
    strategies: [{ name: 'default' }],
  });
  const users = await must(`POST ${url}/feature_flags_user_lists`, { name: use('user-list'), user_xids: use('xids') });
  const json = { 'content-type': 'application/json' };
  const terraform = `${url}/terraform/state/${encodeURIComponent(use('terraform').replaceAll('/', ''))}`;
  await server.must(`POST ${terraform}`, { body: '{"version":4,"serial":1}', headers: json });
  const [state] = await server.must(`GET ${url}/terraform/states`);
  await must(`POST ${url}/freeze_periods`, { freeze_start: '0 1 * * *', freeze_end: '0 2 * * *' });
  await must(`POST ${url}/deploy_tokens`, { name: use('deploy-token'), scopes: ['read_repository'] });
  await must(`POST ${url}/access_tokens`, {
    name: use('project-token'),
    scopes: ['api'],
    access_level: 30,
    expires_at: '2027-01-01',
  });
  await must('POST /users/1/personal_access_tokens', { name: use('token'), scopes: ['api'] });
  await must(`POST ${url}/protected_branches`, { name: 'evil-"><x-evil>-*' });
  await must(`POST ${url}/protected_tags`, { name: 'evil-"><x-evil>-*' });
  await server.running.services.queue.drain();
  const runner = await RunnerClient.create(server, { runner_type: 'instance_type', description: use('runner') });
  const job = await runner.take();
  await runner.patch(
    job,
    0,
    `section_start:1:a"><x-evil>\r\u001b[0K${use('section')}\n\u001b[31m${use('log')}\u001b[0m\n\u001b]8;;javascript:alert(1)\u0007${evil('log')}\u001b]8;;\u0007\nsection_start:2:b[collapsed=true"><x-evil>]\r\u001b[0K${evil('log')}\nsection_end:3:b\r\u001b[0K\n`,
  );
  const attribute = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const test = `<testcase name="${attribute(use('test'))}" classname="${attribute(evil('x'))}"><failure>${attribute(use('test-text'))}</failure></testcase>`;
  const tests = new FormData();
  tests.set('file', new Blob([Uint8Array.from(gzipSync(`<testsuite>${test}</testsuite>`))]), 'junit.xml.gz');
  await server.api(`POST /jobs/${job.id}/artifacts?artifact_type=junit&artifact_format=gzip`, {
    token: null,
    headers: { 'job-token': job.token },
    body: tests,
  });
  await runner.report(job, { state: 'failed', failure_reason: 'script_failure' });
  const owner = await addPerson(server, 'reporter');
  const tracked = await addTracked(server, owner);
  const frames = [
    {
      function: use('frame'),
      filename: use('frame-file'),
      abs_path: evil('x'),
      lineno: 3,
      in_app: true,
      pre_context: [evil('x')],
      context_line: use('frame-line'),
      post_context: [],
    },
  ];
  await report(
    server,
    tracked,
    exceptionEvent({
      exception: { values: [{ type: use('error-type'), value: use('error-value'), stacktrace: { frames } }] },
      breadcrumbs: { values: [{ message: evil('x'), category: evil('x'), timestamp: Date.now() / 1000 }] },
      transaction: use('culprit'),
      user: { username: evil('x'), email: 'a"><x-evil>@x.example' },
      tags: { 'evil"><x-evil>': evil('x') },
      release: evil('x'),
      environment: 'evil"><x-evil>',
    }),
  );
  await counted(server);
  const errors = `/${owner.user.username}/${tracked.project.path}/-/error_tracking`;
  const [error] = await server.must(`GET /projects/${tracked.project.id}/error_tracking/errors`);
  const app = { redirect_uri: 'https://app.example/cb?x="><x-evil>', scopes: 'api' };
  const program = await server.must('POST /applications', { json: { ...app, name: use('application') } });
  await must('POST /user/applications', { ...app, name: use('own-application') });
  const programAsks = new URLSearchParams({ client_id: program.application_id, response_type: 'code' });
  const [pipeline] = await server.must(`GET ${url}/pipelines`);
  await must('PUT /application/settings', { bulk_import_enabled: true });
  const brought = await must('POST /projects', { name: 'brought', namespace_id: group.id, visibility: 'public' });
  const imports = await addHostileImports(server, { projectId: brought.id, groupId: group.id, use });
  const topic = use('topic');
  const { id: topicId } = await must('POST /topics', {
    name: topic,
    title: use('topic-title'),
    description: useText('topic-text'),
  });
  const link_url = 'https://example.com/"><x-evil>';
  const badge = { link_url, image_url: `${server.url}/none.svg` };
  const { id: badgeId } = await must(`POST ${url}/badges`, { ...badge, name: use('badge') });
  const { id: groupBadgeId } = await must(`POST /groups/${group.id}/badges`, { ...badge, name: use('group-badge') });
  const user = await must('POST /users', {
    name: use('other-name'),
    username: 'other',
    email: 'other@example.com',
    password: 'long enough 4 them',
    note: use('user-note'),
  });
  await must(`POST /users/${user.id}/impersonation_tokens`, {
    name: use('impersonation'),
    scopes: ['api'],
    expires_at: '2027-01-01',
  });
  const [message] = await server.must('GET /broadcast_messages');
  const [firstRunner] = await server.must('GET /runners/all');
  const { pipeline: tested } = await server.must(`GET ${url}/jobs/${job.id}`);
  const hook = (await server.must(`GET ${url}/hooks`))[0];
  const groupHook = (await server.must(`GET /groups/${group.id}/hooks`))[0];
  const schedule = (await server.must(`GET ${url}/pipeline_schedules`))[0];
  const freeze = (await server.must(`GET ${url}/freeze_periods`))[0];
  // Comes last: after this, all users but root must accept the terms first.
  const terms = useText('terms');
  await must('PUT /application/settings', { terms, enforce_terms: true });
  const browser = new Browser(server);
  await browser.signIn('root', rootPassword);
  await browser.fill('/-/users/terms', '/-/users/terms/accept', { digest: termsDigest(terms) });
  const encoded = (text: string) => text.split('/').map(encodeURIComponent).join('/');
  const asked = encodeURIComponent(evil('asked'));
  const home = '/house/lamp';
  const groupHome = '/groups/house/-';
  const below = (start: string, ...paths: string[]) => paths.map((one) => `${start}${one}`);
  return {
    written,
    refused,
    pages: [
      ...below(
        '',
        '/',
        '/dashboard',
        '/dashboard/projects',
        '/explore',
        '/explore/projects',
        '/explore/groups',
        '/help/shortcuts',
        '/-/users/terms',
        '/-/appearance.css',
        '/-/manifest.json',
        `/-/pages/auth?origin=${asked}&state=${asked}`,
        '/root',
        '/house',
        home,
      ),
      ...below(
        '',
        `/explore?name=${asked}`,
        `/users/sign_in?redirect=${asked}`,
        `/users/sign_up?user[name]=${asked}&user[username]=${asked}&user[email]=${asked}`,
        '/users/almost_there',
        `/users/password/new?email=${asked}`,
        `/users/password/edit?reset_password_token=${asked}`,
        `/users/confirmation/new?email=${asked}`,
        `/users/sign_in/two_factor?redirect=${asked}`,
        `/users/auth/${asked}/complete?token=${asked}`,
        `/users/auth/${asked}/metadata`,
        `/users/auth/${asked}/callback?code=${asked}&state=${asked}&error=${asked}`,
        `/oauth/authorize?${programAsks}&state=${asked}`,
        `/oauth/authorize?client_id=${asked}&redirect_uri=${asked}`,
        `/oauth/device?user_code=${asked}`,
        `/${asked}`,
        `/house/${asked}/-/issues`,
      ),
      ...['projects', 'issues', 'merge_requests', 'milestones', 'users', asked].map(
        (scope) => `/search?search=evil&scope=${scope}`,
      ),
      `/search?search=${asked}`,
      ...below(
        '/-/user_settings',
        '/password/new',
        '/password/edit',
        '/personal_access_tokens',
        '/picture',
        '/ssh_keys',
        '/gpg_keys',
        '/profile',
        '/applications',
        '/authorized_applications',
        '/active_sessions',
        '/incoming_mail',
      ),
      ...below(
        '/-/profile',
        '/emails',
        '/notifications',
        '/preferences',
        '/two_factor_auth',
        '/account',
        '/usage_quotas',
      ),
      ...below(
        '/admin',
        '',
        '/users',
        '/users/edit?id=1',
        '/groups',
        '/projects',
        '/runners',
        '/variables',
        '/variables/edit?id=evil_key',
        '/hooks',
        '/background_jobs',
        '/applications',
        '/audit_events',
        '/application_settings',
        '/appearance',
        '/appearance/pictures',
        '/plan_limits',
        '/member_roles',
        '/topics',
        `/topics/edit?id=${topicId}`,
        `/topics/merge?source=${asked}`,
        '/broadcast_messages',
        `/broadcast_messages/edit?id=${message.id}`,
        `/runners/edit?id=${firstRunner.id}`,
        ...['', '/memberships', '/keys', '/gpg_keys', '/emails', '/impersonation_tokens'].map(
          (view) => `/users/${user.id}${view}`,
        ),
        `/users/edit?id=${user.id}`,
        `/users?search=${asked}&show=${asked}`,
      ),
      ...imports,
      ...below(
        '/explore',
        '/snippets',
        '/projects/topics',
        `/projects/topics?name=${asked}`,
        `/projects/topics/${encodeURIComponent(topic)}`,
        `/projects/topics/${asked}`,
      ),
      ...below(
        '/dashboard',
        '/projects/starred',
        '/groups',
        '/activity',
        '/issues',
        '/merge_requests',
        '/todos',
        '/snippets',
      ),
      ...below(
        '',
        '/projects/new',
        '/groups/new',
        '/groups/house',
        '/-/snippets',
        '/-/snippets/new',
        `/-/snippets/${own.id}`,
        `/-/snippets/${own.id}/edit`,
      ),
      ...below(
        groupHome,
        ...['projects', 'blobs', 'issues', 'commits', 'notes', 'wiki_blobs'].map(
          (scope) => `/search?search=evil&scope=${scope}`,
        ),
        `/search?search=${asked}`,
        '/activity',
        '/usage_quotas',
        '/edit',
        '/wikis',
        '/wikis/pages',
        '/wikis/new',
        `/wikis/${encoded(groupWiki.slug)}`,
        `/wikis/${encoded(groupWiki.slug)}?action=edit`,
        `/wikis/${encoded(groupWiki.slug)}?version_id=${asked}`,
        `/wikis/${encoded(groupWiki.slug)}/history`,
        '/group_members',
        '/group_members/edit?id=1',
        '/group_members/all',
        '/group_members/invitations',
        '/group_members/requests',
        `/group_members?asked=${asked}`,
        '/epics',
        `/epics?search=${asked}&label_name=${asked}&author_username=${asked}`,
        '/epics/new',
        '/epics/1',
        '/epics/2',
        '/epics/1/edit',
        '/epic_boards',
        `/epic_boards/${epicBoard.id}`,
        '/iterations',
        `/iterations/${iteration.id}`,
        '/cadences',
        '/boards',
        `/boards/${groupBoard.id}`,
        '/settings/deploy_tokens',
        '/settings/access_tokens',
        '/settings/integrations',
        '/settings/integrations/edit?id=mattermost',
        '/hooks',
        `/hooks/edit?id=${groupHook.id}`,
        `/hooks/${groupHook.id}/deliveries`,
        '/settings/variables',
        '/settings/variables/edit?id=evil_key',
        '/settings/runners',
        `/settings/runners/edit?id=${firstRunner.id}`,
        '/settings/badges',
        `/settings/badges/edit?id=${groupBadgeId}`,
        '/settings/shared_groups',
        '/settings/bans',
        '/settings/ldap_group_links',
        '/settings/saml_group_links',
        '/settings/member_roles',
        '/settings/reassignments',
        '/dependency_proxy',
        '/packages',
        `/packages?package_name=${asked}&package_type=${asked}`,
        '/container_registries',
        '/settings/export',
        '/download_export',
        '/import',
        '/audit_events',
        '/labels',
        `/labels/edit?id=${encodeURIComponent(evil('group-label'))}`,
        '/milestones',
        '/milestones/new',
        '/milestones/1',
        '/milestones/1/edit',
        '/issues',
        '/merge_requests',
      ),
      ...below(
        home,
        '/edit',
        '/activity',
        '/-/forks/new',
        '/-/graphs/main',
        `/-/forks?name=${asked}`,
        `/-/starrers?name=${asked}`,
        '/-/contributors',
        '/-/project_members',
        '/-/project_members/edit?id=1',
        '/-/project_members/all',
        '/-/project_members/invitations',
        '/-/project_members/requests',
      ),
      ...below(
        `${home}/-/settings`,
        '/branches',
        `/branches/edit?id=${encodeURIComponent('evil-"><x-evil>-*')}`,
        '/tags',
        '/approval_rules',
        `/approval_rules/edit?id=${rule.id}`,
        '/approvals',
        '/push_protection',
        '/deploy_keys',
        '/deploy_tokens',
        '/access_tokens',
        '/variables',
        '/variables/edit?id=evil_key',
        '/triggers',
        '/mirrors',
        '/runners',
        `/runners/edit?id=${firstRunner.id}`,
        '/badges',
        `/badges/edit?id=${badgeId}`,
        '/shared_groups',
        '/export',
      ),
      ...below('/house/brought', '', '/-/import'),
      ...below(home, '/-/audit_events', '/download_export'),
      ...below(
        `${home}/-`,
        '/hooks',
        `/hooks/edit?id=${hook.id}`,
        `/hooks/${hook.id}/deliveries`,
        '/wikis',
        '/wikis/pages',
        '/wikis/new',
        `/wikis/${encoded(wiki.slug)}`,
        `/wikis/${encoded(wiki.slug)}?action=edit`,
        `/wikis/${encoded(wiki.slug)}?version_id=${asked}`,
        `/wikis/${encoded(wiki.slug)}/history`,
      ),
      ...below(`${home}/-/snippets`, '', '/new', `/${snippet.id}`, `/${snippet.id}/edit`),
      ...below(
        `${home}/-`,
        '/issues',
        `/issues?search=${asked}&label_name=${asked}&milestone_title=${asked}&author_username=${asked}`,
        '/issues/new',
        '/issues/1',
        ...['assignees', 'labels', 'milestone', 'due_date', 'epic', 'iteration', 'weight', 'health_status'].map(
          (part) => `/issues/1?edit=${part}`,
        ),
        '/issues/2',
        '/issues/2?edit=severity',
        `/commit/${tip}`,
        '/commit/main/cherry_pick',
        `/commit/main/revert?branch=${asked}`,
        '/milestones/1?show=closed',
        '/milestones/1?show=merge_requests&by=weight',
        '/work_items/1',
        '/issues/1/edit',
        '/boards',
        `/boards/${board.id}`,
        '/labels',
        `/labels/edit?id=${labels[0].id}`,
        '/milestones',
        '/milestones/new',
        `/milestones/${milestone.iid}`,
        `/milestones/${milestone.iid}/edit`,
      ),
      ...below(
        `${home}/-/merge_requests`,
        '',
        `/new?merge_request[source_branch]=${encodeURIComponent(branch)}&merge_request[title]=${asked}`,
        ...[
          '',
          '?edit=reviewers',
          '?edit=labels',
          '/commits',
          '/pipelines',
          '/conflicts',
          '/diffs',
          '/diffs?view=parallel',
          `/diffs?expand=${asked}`,
          '/diffs?files=1',
          `/diffs?files=1&search=${asked}`,
          '/edit',
        ].map((view) => `/${request.iid}${view}`),
      ),
      ...below(`${home}/-/merge_trains`, '', `?scope=complete&target_branch=${asked}`),
      ...below(
        `${home}/-`,
        '/pages',
        '/settings/status_checks',
        '/settings/freeze_periods',
        `/settings/freeze_periods/edit?id=${freeze.id}`,
        '/settings/integrations',
        '/settings/integrations/edit?id=slack',
        '/settings/integrations/edit?id=jira',
        '/settings/integrations/edit?id=emails-on-push',
        '/container_registry',
        `/container_registry/${images.id}`,
        `/packages?package_name=${asked}&package_type=${asked}`,
        '/packages',
        `/packages/${published.id}`,
        '/pipelines/new',
        '/pipeline_schedules',
        `/pipeline_schedules/edit?id=${schedule.id}`,
        '/pipelines',
        `/pipelines/${pipeline.id}`,
        `/pipelines/${tested.id}/test_report`,
        `/pipelines/${tested.id}/test_report?suite=${asked}&status=${asked}`,
        `/pipelines/${tested.id}/test_report/case?suite=${encodeURIComponent(evil('job-name'))}&position=1`,
        '/feature_flags',
        `/feature_flags?scope=${asked}`,
        '/feature_flags/new',
        '/feature_flags/evil_flag/edit',
        '/feature_flags_user_lists',
        `/feature_flags_user_lists/edit?id=${users.iid}`,
        '/terraform',
        `/terraform/${encodeURIComponent(state.name)}`,
        '/secure_files',
        '/ci/editor',
        `/ci/editor?branch_name=${asked}`,
        `/ci/editor?branch_name=${encodeURIComponent(branch)}`,
        '/environments',
        `/environments?search=${asked}&state=${asked}`,
        '/environments/new',
        `/environments/${place.id}`,
        `/environments/${place.id}/edit`,
        '/jobs',
        `/jobs/${job.id}`,
        `/jobs/${job.id}/artifacts/browse`,
        `/jobs/${job.id}/artifacts/browse/${asked}`,
        `/jobs/${job.id}/artifacts/file/${asked}`,
      ),
      ...below('', errors, `${errors}/${error.id}`, `${errors}/${error.id}/details`, `${errors}?search=${asked}`),
      ...below(
        `${home}/-`,
        '/tree',
        '/tree/main',
        `/tree/${encoded(branch)}`,
        `/tree/main/${encodeURIComponent('dir"><x-evil>')}`,
        `/blob/main/${encoded(file)}`,
        '/blob/main/README.md',
        '/blob/main/README.md?plain=1',
        '/blob/main/a.js',
        '/blob/main/a.svg',
        `/blame/main/${encoded(file)}`,
        `/edit/main/${encoded(file)}`,
        `/delete/main/${encoded(file)}`,
        `/new/main/${encodeURIComponent('dir"><x-evil>')}`,
        `/new/${encoded(branch)}`,
        `/upload/${encoded(branch)}`,
        '/find_file/main',
        `/refs?path=${asked}&ref=${asked}`,
        `/find_file/main?file=${asked}`,
        ...['blobs', 'issues', 'merge_requests', 'commits', 'notes', 'wiki_blobs', 'milestones', 'users', asked].map(
          (scope) => `/search?search=evil&scope=${scope}`,
        ),
        `/search?search=${asked}`,
        '/commits',
        '/commits/main',
        `/commits/main/${encoded(file)}`,
        `/commits/main?author=${asked}`,
        '/commit/main',
        `/commit/${request.sha}`,
        '/network',
        `/network/${encoded(branch)}?all=1`,
        '/compare',
        `/compare/main...${encoded(branch)}`,
        `/compare/main...${encoded(branch)}?files=1`,
        `/compare?from=${asked}`,
        '/branches',
        `/branches?search=${asked}`,
        '/tags',
        `/tags/${encoded(tag)}`,
        '/releases',
        `/releases/${encodeURIComponent(tag)}`,
        `/releases/${encodeURIComponent(tag)}/edit`,
        '/releases/new',
        `/releases/new?tag_name=${asked}`,
        `/tree/${asked}`,
      ),
    ],
  };
}
