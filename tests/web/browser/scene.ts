import { RunnerClient } from '../../ci/runner-client.ts';
import { addTracked, counted, exceptionEvent, report } from '../../error-tracking/tracking.ts';
import { addPerson } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';

/** Where each page of the scene is to be found, by a name for it. */
export interface Scene {
  readonly pages: Readonly<Record<string, string>>;
}

const readme = `# Kettle

A small **timer** for tea. It knows how long *sencha*, *oolong* and *assam* want to stay in the pot.

## Using it

\`\`\`sh
npx kettle sencha
\`\`\`

| Tea | Minutes |
| --- | --- |
| sencha | 2 |
| assam | 4 |

- [x] a bell
- [ ] a picture of the pot
`;

const source = `import { setTimeout as wait } from 'node:timers/promises';

/** How long each tea wants, in minutes. */
const minutes = { sencha: 2, oolong: 3, assam: 4 };

/** Waits until the tea is ready, then rings. */
export async function brew(tea, ring = () => console.log('\\u0007Ready!')) {
  const time = minutes[tea];
  if (time === undefined) throw new Error(\`No such tea: \${tea}\`);
  await wait(time * 60_000);
  ring();
}
`;

const ci = `stages: [build, test, deploy]
lint: {stage: build, script: npm run lint}
compile: {stage: build, script: npm run build}
unit: {stage: test, script: npm test}
browser: {stage: test, script: npm run browser}
release: {stage: deploy, script: npm publish, when: manual}
`;

const log = [
  'section_start:1:prepare\r\u001b[0K\u001b[36;1mPreparing the environment\u001b[0m',
  'Running in a sandbox on built-in runner',
  'section_end:2:prepare\r\u001b[0K',
  'section_start:3:script\r\u001b[0K\u001b[36;1mRunning the script\u001b[0m',
  '\u001b[32;1m$ npm run lint\u001b[0m',
  '> kettle@1.4.0 lint',
  '> biome check .',
  '',
  'Checked 42 files in 310ms. \u001b[33mFound 1 warning.\u001b[0m',
  'section_end:4:script\r\u001b[0K',
  '\u001b[32;1mJob succeeded\u001b[0m',
  '',
].join('\n');

/** A group, a project with code, issues, a merge request, pipelines and errors: something on every page. */
export async function addScene(server: TestServer): Promise<Scene> {
  const group = await server.must('POST /groups', { json: { name: 'Tea House', path: 'tea', visibility: 'public' } });
  const project = await server.must('POST /projects', {
    json: { name: 'Kettle', namespace_id: group.id, visibility: 'public', description: 'A small timer for tea' },
  });
  await server.must('POST /groups', {
    json: { name: 'Labs', path: 'labs', parent_id: group.id, visibility: 'public' },
  });
  await server.must('POST /projects', { json: { name: 'Empty', namespace_id: group.id } });
  const url = `/projects/${project.id}`;
  const commit = (branch: string, message: string, files: Record<string, string>, start?: string, action = 'create') =>
    server.must(`POST ${url}/repository/commits`, {
      json: {
        branch,
        commit_message: message,
        ...(start && { start_branch: start }),
        actions: Object.entries(files).map(([file_path, content]) => ({ action, file_path, content })),
      },
    });
  await commit('main', 'Brew tea', { 'README.md': readme, 'src/kettle.js': source, 'docs/notes.txt': 'steep\n' });
  await commit('main', 'Say who looks after the timer', { 'docs/CODEOWNERS': '*.js @root\n' });
  const long = Array.from({ length: 1_200 }, (_, at) => `export const tea${at} = ${at};`).join('\n');
  await commit('main', 'Count teas', { 'long.ts': long });
  await commit('main', 'Check every push', { '.gitlab-ci.yml': ci });
  const changed = source.replace('assam: 4', 'assam: 5, darjeeling: 3').replace('ring();', 'ring();\n  return tea;');
  await commit('darjeeling', 'Know darjeeling', { 'src/kettle.js': changed }, 'main', 'update');
  await server.must(`POST ${url}/repository/tags`, { json: { tag_name: 'v1.4.0', ref: 'main', message: 'Bell' } });
  await server.must(`POST ${url}/releases`, {
    json: { tag_name: 'v1.4.0', name: 'The bell', description: 'It rings **once**.' },
  });
  for (const [name, color] of [
    ['bug', '#d9534f'],
    ['idea', '#5bc0de'],
  ])
    await server.must(`POST ${url}/labels`, { json: { name, color } });
  const milestone = await server.must(`POST ${url}/milestones`, { json: { title: '1.5', due_date: '2027-01-31' } });
  const issue = await server.must(`POST ${url}/issues`, {
    json: {
      title: 'The bell rings twice for oolong',
      description: 'Steps:\n\n1. `kettle oolong`\n2. wait\n\nIt should ring **once**.',
      labels: 'bug',
      milestone_id: milestone.id,
      assignee_ids: [1],
    },
  });
  await server.must(`POST ${url}/issues`, { json: { title: 'Show a picture of the pot', labels: 'idea' } });
  await server.must(`POST ${url}/issues/1/notes`, { json: { body: 'Seen with *assam* too, in `src/kettle.js`.' } });
  await server.must(`POST ${url}/merge_requests`, {
    json: {
      title: 'Know darjeeling, and say which tea is ready',
      source_branch: 'darjeeling',
      target_branch: 'main',
      description: `Closes #${issue.iid}.`,
    },
  });
  await server.must(`POST ${url}/merge_requests/1/discussions`, { json: { body: 'Is five minutes not too long?' } });
  await server.must(`POST ${url}/merge_requests/1/draft_notes`, { json: { note: 'Say why, **please**.' } });
  await server.must(`POST ${url}/issues/1/award_emoji`, { json: { name: 'thumbsup' } });
  const board = await server.must(`POST ${url}/boards`, { json: { name: 'Work' } });
  const { id: bug } = await server.must(`GET ${url}/labels/bug`);
  await server.must(`POST ${url}/boards/${board.id}/lists`, { json: { label_id: bug } });
  await server.must(`POST ${url}/approval_rules`, {
    json: { name: 'Tea masters', approvals_required: 0, usernames: ['root'] },
  });
  await server.must(`POST ${url}/merge_requests/1/notes`, { json: { body: 'It smells **good** already.' } });
  const [note] = await server.must(`GET ${url}/merge_requests/1/notes?activity_filter=only_comments`);
  await server.must(`POST ${url}/merge_requests/1/notes/${note.id}/award_emoji`, { json: { name: 'tada' } });
  await server.must(`POST ${url}/wikis`, { json: { title: 'Home', content: '# How we brew\n\nSlowly.' } });
  await server.must(`POST ${url}/snippets`, {
    json: { title: 'Steep', visibility: 'public', files: [{ file_path: 'steep.sh', content: 'sleep 120\n' }] },
  });
  await server.running.services.queue.drain();
  const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
  const jobs = [];
  for (let count = 0; count < 3; count += 1) {
    const job = await runner.take();
    await runner.patch(job, 0, log);
    if (count < 2) await runner.report(job, { state: count === 0 ? 'success' : 'failed' });
    jobs.push(job);
  }
  await server.running.services.queue.drain();
  const place = await server.must(`POST ${url}/environments`, {
    json: { name: 'production', external_url: 'https://kettle.example.com' },
  });
  const { sha: deployed } = await server.must(`GET ${url}/pipelines/latest?ref=main`);
  await server.must(`POST ${url}/deployments`, {
    json: { environment: 'production', sha: deployed, ref: 'main', tag: false, status: 'success' },
  });
  await server.must(`POST ${url}/feature_flags`, {
    json: {
      name: 'rooibos',
      description: 'Know rooibos',
      strategies: [{ name: 'default', scopes: [{ environment_scope: '*' }] }],
    },
  });
  await server.must(`POST ${url}/terraform/state/pot`, {
    body: '{"version":4,"serial":1}',
    headers: { 'content-type': 'application/json' },
  });
  const owner = await addPerson(server, 'barista');
  const tracked = await addTracked(server, owner);
  await report(server, tracked, exceptionEvent({ message: 'No such tea' }, 'TypeError', 'minutes is undefined'));
  await counted(server);
  const [error] = await server.must(`GET /projects/${tracked.project.id}/error_tracking/errors`);
  const epic = await server.must('POST /groups/tea/epics', {
    json: { title: 'Every tea has its time', description: 'First the *black* ones.' },
  });
  await server.must('POST /groups/tea/epics', { json: { title: 'Teas of Japan', parent_id: epic.id } });
  await server.must('POST /groups/tea/epics', { json: { title: 'Kettles that whistle', labels: 'whistle' } });
  await server.must(`POST /groups/tea/epics/${epic.iid}/related_epics`, {
    json: { target_group_id: 'tea', target_epic_iid: 3, link_type: 'blocks' },
  });
  const asked = { body: 'Which of them do we have?' };
  const question = await server.must(`POST /groups/tea/epics/${epic.id}/notes`, { json: asked });
  await server.must(`POST /groups/tea/epics/${epic.iid}/notes/${question.id}/award_emoji`, { json: { name: 'tada' } });
  const epicBoard = await server.must('POST /groups/tea/epic_boards', { json: { name: 'Course' } });
  const whistle = await server.must('GET /groups/tea/labels/whistle');
  await server.must(`POST /groups/tea/epic_boards/${epicBoard.id}/lists`, { json: { label_id: whistle.id } });
  await server.must(`PUT ${url}/issues/1`, { json: { epic_id: epic.id, weight: 2 } });
  await server.must('POST /groups/tea/iteration_cadences', {
    json: { title: 'Weeks', start_date: '2026-01-05', duration_in_weeks: 1 },
  });
  const [iteration] = await server.must('GET /groups/tea/iterations?state=opened');
  await server.must(`POST ${url}/issues/1/links`, { json: { target_project_id: 'tea/kettle', target_issue_iid: 2 } });
  await server.must(`POST ${url}/invitations`, { json: { email: 'potter@example.com', access_level: 20 } });
  const [pipeline] = await server.must(`GET ${url}/pipelines?ref=main`);
  const { sha } = await server.must(`GET ${url}/merge_requests/1`);
  const home = '/tea/kettle';
  return {
    pages: {
      home: '/',
      explore: '/explore',
      search: '/search?search=tea',
      'search of code': '/search?search=brew&scope=blobs',
      group: '/tea',
      project: home,
      empty: '/tea/empty',
      tree: `${home}/-/tree/main/src`,
      blob: `${home}/-/blob/main/src/kettle.js`,
      blame: `${home}/-/blame/main/src/kettle.js`,
      commits: `${home}/-/commits/main`,
      commit: `${home}/-/commit/${sha}`,
      branches: `${home}/-/branches`,
      refs: `${home}/-/refs?view=blob&path=src/kettle.js`,
      tags: `${home}/-/tags`,
      releases: `${home}/-/releases`,
      release: `${home}/-/releases/v1.4.0`,
      'new-release': `${home}/-/releases/new`,
      'edit-release': `${home}/-/releases/v1.4.0/edit`,
      'long-file': `${home}/-/blob/main/long.ts`,
      person: '/root',
      'new-file': `${home}/-/new/main/src`,
      'upload-file': `${home}/-/upload/main/src`,
      'edit-file': `${home}/-/edit/main/src/kettle.js`,
      'delete-file': `${home}/-/delete/main/src/kettle.js`,
      'file-history': `${home}/-/commits/main/src/kettle.js`,
      find: `${home}/-/find_file/main`,
      'search of a project': `${home}/-/search?search=tea`,
      compare: `${home}/-/compare/main...darjeeling`,
      network: `${home}/-/network/main?all=1`,
      issues: `${home}/-/issues`,
      issue: `${home}/-/issues/1`,
      'new-issue': `${home}/-/issues/new`,
      labels: `${home}/-/labels`,
      milestones: `${home}/-/milestones`,
      milestone: `${home}/-/milestones/1`,
      requests: `${home}/-/merge_requests`,
      request: `${home}/-/merge_requests/1`,
      'request-commits': `${home}/-/merge_requests/1/commits`,
      changes: `${home}/-/merge_requests/1/diffs`,
      'new-request': `${home}/-/merge_requests/new`,
      pipelines: `${home}/-/pipelines`,
      pipeline: `${home}/-/pipelines/${pipeline.id}`,
      tests: `${home}/-/pipelines/${pipeline.id}/test_report`,
      job: `${home}/-/jobs/${jobs[0]?.id}`,
      'running-job': `${home}/-/jobs/${jobs[2]?.id}`,
      jobs: `${home}/-/jobs`,
      'feature-flags': `${home}/-/feature_flags`,
      'edit-feature-flag': `${home}/-/feature_flags/rooibos/edit`,
      'user-lists': `${home}/-/feature_flags_user_lists`,
      terraform: `${home}/-/terraform`,
      'terraform-state': `${home}/-/terraform/pot`,
      'secure-files': `${home}/-/secure_files`,
      editor: `${home}/-/ci/editor`,
      environments: `${home}/-/environments`,
      environment: `${home}/-/environments/${place.id}`,
      'new-environment': `${home}/-/environments/new`,
      'edit-environment': `${home}/-/environments/${place.id}/edit`,
      members: `${home}/-/project_members`,
      errors: `/${owner.user.username}/${tracked.project.path}/-/error_tracking`,
      error: `/${owner.user.username}/${tracked.project.path}/-/error_tracking/${error.id}/details`,
      todos: '/dashboard/todos',
      'my-activity': '/dashboard/activity',
      'my-issues': '/dashboard/issues',
      'my-requests': '/dashboard/merge_requests',
      tokens: '/-/user_settings/personal_access_tokens',
      picture: '/-/user_settings/picture',
      keys: '/-/user_settings/ssh_keys',
      sessions: '/-/user_settings/active_sessions',
      usage: '/-/profile/usage_quotas',
      applications: '/-/user_settings/applications',
      password: '/-/user_settings/password/edit',
      'two-factor': '/-/profile/two_factor_auth',
      'new-project': '/projects/new',
      profile: '/-/user_settings/profile',
      account: '/-/profile/account',
      'gpg-keys': '/-/user_settings/gpg_keys',
      emails: '/-/profile/emails',
      notifications: '/-/profile/notifications',
      preferences: '/-/profile/preferences',
      'new-group': '/groups/new',
      'group-issues': '/groups/tea/-/issues',
      'group-settings': '/groups/tea/-/edit',
      'side-by-side': `${home}/-/merge_requests/1/diffs?view=parallel`,
      boards: `${home}/-/boards`,
      board: `${home}/-/boards/${board.id}`,
      epics: '/groups/tea/-/epics',
      epic: '/groups/tea/-/epics/1',
      'new-epic': '/groups/tea/-/epics/new',
      'epic-board': `/groups/tea/-/epic_boards/${epicBoard.id}`,
      'group-export': '/groups/tea/-/settings/export',
      'group-import': '/groups/tea/-/import',
      'group-file': '/import/gitlab_group/new',
      'merge-topics': '/admin/topics/merge',
      iterations: '/groups/tea/-/iterations',
      iteration: `/groups/tea/-/iterations/${iteration.id}`,
      cadences: '/groups/tea/-/cadences',
      'group-boards': '/groups/tea/-/boards',
      invitations: `${home}/-/project_members/invitations`,
      'access-requests': '/groups/tea/-/group_members/requests',
      'approval-rules': `${home}/-/settings/approval_rules`,
      'approval-settings': `${home}/-/settings/approvals`,
      'cherry-pick': `${home}/-/commit/${sha}/cherry_pick`,
      'edit-labels': `${home}/-/issues/1?edit=labels`,
      'edit-people': `${home}/-/merge_requests/1?edit=reviewers`,
      'group-packages': '/groups/tea/-/packages',
      'group-images': '/groups/tea/-/container_registries',
      'group-activity': '/groups/tea/-/activity',
      schedules: `${home}/-/pipeline_schedules`,
      'run-pipeline': `${home}/-/pipelines/new`,
      activity: `${home}/activity`,
      contributors: `${home}/-/contributors`,
      fork: `${home}/-/forks/new`,
      wiki: `${home}/-/wikis`,
      'group-wiki': '/groups/tea/-/wikis/pages',
      'new-group-wiki-page': '/groups/tea/-/wikis/new',
      'wiki-page': `${home}/-/wikis/Home`,
      'wiki-history': `${home}/-/wikis/Home/history`,
      'new-wiki-page': `${home}/-/wikis/new`,
      snippets: `${home}/-/snippets`,
      settings: `${home}/edit`,
      hooks: `${home}/-/hooks`,
      'protected-branches': `${home}/-/settings/branches`,
      'deploy-keys': `${home}/-/settings/deploy_keys`,
      variables: `${home}/-/settings/variables`,
      mirrors: `${home}/-/settings/mirrors`,
      administration: '/admin',
      users: '/admin/users',
      runners: '/admin/runners',
      'system-hooks': '/admin/hooks',
      'background-work': '/admin/background_jobs',
      'audit-events': '/admin/audit_events',
      'instance-settings': '/admin/application_settings',
      shortcuts: '/help/shortcuts',
      missing: '/no/such/place',
    },
  };
}
