import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { RunnerClient } from '../../ci/runner-client.ts';
import { startTestServer } from '../../support/server.ts';
import { Renovate } from './renovate/renovate.ts';
import { addApplication, makeScene } from './renovate/scene.ts';

// npm run test:renovate -- /path/to/node_modules/renovate [sqlite|postgres]
const [path, engine = 'sqlite'] = process.argv.slice(2);
if (path === undefined || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(`usage: npm run test:renovate -- /path/to/node_modules/renovate [sqlite|postgres]

  mkdir /tmp/renovate && cd /tmp/renovate && npm init -y && npm install renovate`);
  process.exit(2);
}

const server = await startTestServer(engine);
const scene = await makeScene(server);
const runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
const renovate = await Renovate.create(join(resolve(path), 'dist', 'renovate.js'), scene);

interface Request {
  readonly iid: number;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly source_branch: string;
  readonly labels: readonly string[];
  readonly assignees: readonly { readonly username: string }[];
  readonly reviewers: readonly { readonly username: string }[];
  readonly sha: string;
}

const requestsOf = (project: string): Promise<Request[]> =>
  server.must(`GET ${project}/merge_requests?per_page=100&sort=asc`);

async function requestFor(project: string, branch: string): Promise<Request> {
  const found = (await requestsOf(project)).findLast(({ source_branch }) => source_branch === `renovate/${branch}`);
  assert.ok(found, `there is no merge request of renovate/${branch}`);
  return found;
}

/** Finishes all pending jobs successfully. */
async function runJobs(): Promise<void> {
  for (;;) {
    const { status, body: job } = await runner.ask();
    if (status !== 201) return;
    await runner.report(job, { state: 'success' });
    await server.running.services.queue.drain();
  }
}

async function step(name: string, work: () => Promise<void>): Promise<void> {
  await work();
  console.log(`✔ ${name}`);
}

const repositories = (project: string) => ({ repositories: [`acme/${project}`] });
const host = scene.host.replace(':', '-');
const updates = [
  ...['acme-ci-templates-1.x', 'acme-colors-1.x', 'acme-colors-2.x', 'acme-paint-1.x', 'acme-shapes-3.x'],
  ...['acme-tool-blob-0.x', 'com.acme-brush-1.x', `${host}-acme-tool-1.x`, `http-${host}-acme-ci-templates.git-1.x`],
].sort();

const app = await addApplication(scene, 'app');

await step('onboarding, of what is discovered in a group, with its preset', async () => {
  await renovate.run({ autodiscover: true, autodiscoverNamespaces: ['acme'] });
  const [request, ...more] = await requestsOf(app);
  assert.deepEqual([request?.title, more.length], ['Configure Renovate', 0]);
  assert.deepEqual([request?.labels, request?.assignees[0]?.username], [['dependencies'], 'ann']);
  const file = `GET ${app}/repository/files/renovate.json/raw?ref=renovate/configure`;
  assert.deepEqual(JSON.parse(await server.must(file)).extends, ['local>acme/renovate-config']);
  await server.must(`PUT ${app}/merge_requests/${request?.iid}/merge`);
});

await step('a merge request for each update, and the dashboard', async () => {
  const more = { extends: ['customManagers:dockerfileVersions'], reviewers: ['ben'] };
  await renovate.run({ ...repositories('app'), ...more });
  const requests = (await requestsOf(app)).filter(({ state }) => state === 'opened');
  assert.deepEqual(requests.map(({ source_branch }) => source_branch.replace('renovate/', '')).sort(), updates);
  for (const { title, labels, assignees, reviewers } of requests) {
    assert.deepEqual([labels, assignees[0]?.username, reviewers[0]?.username], [['dependencies'], 'ann', 'ben'], title);
  }
  assert.match((await requestFor(app, 'acme-colors-2.x')).description, /What is new in 2\.0\.0/);
  const [dashboard] = await server.must(`GET ${app}/issues`);
  const { iid } = await requestFor(app, 'acme-shapes-3.x');
  assert.match(dashboard.description, new RegExp(`\\]\\(!${iid}\\)`));
  const { html } = await server.must('POST /markdown', {
    json: { text: dashboard.description, gfm: true, project: 'acme/app' },
  });
  assert.match(html, new RegExp(`href="/acme/app/-/merge_requests/${iid}"`));
});

await step('rebased by a box, a label and the dashboard; closed and made again', async () => {
  const file = { branch: 'main', commit_message: 'Go on', content: 'x' };
  await server.must(`POST ${app}/repository/files/x.txt`, { json: file });
  const boxed = await requestFor(app, 'acme-shapes-3.x');
  const labelled = await requestFor(app, 'acme-paint-1.x');
  const listed = await requestFor(app, 'com.acme-brush-1.x');
  const closed = await requestFor(app, 'acme-colors-2.x');
  const put = (path: string, json: object) => server.must(`PUT ${app}/${path}`, { json });
  const description = boxed.description.replace('- [ ] <!-- rebase-check', '- [x] <!-- rebase-check');
  await put(`merge_requests/${boxed.iid}`, { description });
  await put(`merge_requests/${labelled.iid}`, { add_labels: 'rebase' });
  await put(`merge_requests/${closed.iid}`, { state_event: 'close' });
  const tick = async (box: string) => {
    const [{ iid, description }] = await server.must(`GET ${app}/issues`);
    assert.ok(description.includes(`- [ ] <!-- ${box}`), description);
    await put(`issues/${iid}`, { description: description.replace(`- [ ] <!-- ${box}`, `- [x] <!-- ${box}`) });
  };
  await tick('rebase-branch=renovate/com.acme-brush-1.x');
  const more = { extends: ['customManagers:dockerfileVersions'] };
  await renovate.run({ ...repositories('app'), ...more });
  for (const { iid, sha } of [boxed, labelled, listed]) {
    const now = await server.must(`GET ${app}/merge_requests/${iid}?include_diverged_commits_count=true`);
    assert.notEqual(now.sha, sha, now.title);
    assert.equal(now.diverged_commits_count, 0);
    assert.deepEqual([now.labels, now.description.includes('- [x]')], [['dependencies'], false]);
  }
  const notes = await server.must(`GET ${app}/merge_requests/${closed.iid}/notes`);
  assert.ok(notes.some(({ body }: { body: string }) => body.startsWith('### Renovate Ignore Notification')));
  await tick('recreate-branch=renovate/acme-colors-2.x');
  await renovate.run({ ...repositories('app'), ...more });
  const again = await requestFor(app, 'acme-colors-2.x');
  assert.deepEqual([again.state, again.iid === closed.iid], ['opened', false]);
});

const automatic = {
  extends: ['local>acme/renovate-config', 'customManagers:dockerfileVersions'],
  automerge: true,
  platformAutomerge: true,
  gitLabIgnoreApprovals: true,
  assignAutomerge: true,
  assigneesFromCodeOwners: true,
  expandCodeOwnersGroups: true,
  filterUnavailableUsers: true,
  rebaseWhen: 'behind-base-branch',
};

/** Runs Renovate and the resulting pipelines until everything is merged. */
async function mergeAll(name: string, project: string): Promise<void> {
  for (let run = 0; run < 12; run += 1) {
    await renovate.run(repositories(name));
    await runJobs();
    if ((await requestsOf(project)).every(({ state }) => state === 'merged')) break;
  }
  const requests = await requestsOf(project);
  assert.deepEqual(
    requests.filter(({ state }) => state !== 'merged').map(({ title }) => title),
    [],
  );
  assert.ok(requests.length >= updates.length);
}

await step('merged by the server once the pipeline is green, approval rules or not', async () => {
  const config = { ...automatic, packageRules: [{ matchPackageNames: ['@acme/shapes'], platformAutomerge: false }] };
  const files = { 'renovate.json': JSON.stringify(config) };
  const project = await addApplication(scene, 'automatic', files, { squash_option: 'default_on' });
  const rule = { name: 'Two', approvals_required: 2, usernames: ['ann', 'ben'] };
  await server.must(`POST ${project}/approval_rules`, { json: rule });
  await mergeAll('automatic', project);
});

await step('kept from merging while a release is too young', async () => {
  const config = { ...automatic, minimumReleaseAge: '3 days', internalChecksFilter: 'none' };
  const project = await addApplication(scene, 'patient', { 'renovate.json': JSON.stringify(config) });
  await renovate.run(repositories('patient'));
  await runJobs();
  const { sha, state } = await requestFor(project, 'acme-shapes-3.x');
  const statuses: { name: string; status: string }[] = await server.must(
    `GET ${project}/repository/commits/${sha}/statuses`,
  );
  const age = statuses.find(({ name }) => name === 'renovate/stability-days');
  assert.deepEqual([state, age?.status], ['opened', 'pending']);
});

await step('merged by a train', async () => {
  const files = { 'renovate.json': JSON.stringify(automatic) };
  const settings = { merge_pipelines_enabled: true, merge_trains_enabled: true };
  const project = await addApplication(scene, 'train', files, settings);
  await mergeAll('train', project);
});

await renovate.remove();
console.log('all passed');
process.exit(0);
