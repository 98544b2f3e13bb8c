import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/database.ts';
import { addUser } from './cast.ts';
import type { ApiClient } from './server.ts';
import { sshKeyPair } from './ssh-keys.ts';
import { until } from './until.ts';

/** A group with a project, both containing one of everything, and their owner. */
export interface PopulatedGroup {
  readonly word: string;
  readonly owner: { readonly id: number; readonly username: string; readonly token: string };
  readonly group: { readonly id: number };
  readonly project: { readonly id: number; readonly path_with_namespace: string };
}

const config = [
  'build: { script: "true", artifacts: { paths: [a.txt] } }',
  'ship: { script: "true", when: manual, environment: production, resource_group: one }',
].join('\n');

/** Creates a private group and project with one of everything, using `word` in all texts. */
export async function populateGroup(server: ApiClient, word: string): Promise<PopulatedGroup> {
  const owner = await addUser(server, [...word].reverse().join(''));
  const { token } = owner;
  const post = (path: string, json: object = {}) => server.must(`POST ${path}`, { token, json });
  const named = { name: word };
  const group = await post('/groups', { ...named, path: `${word}-group`, visibility: 'private' });
  const project = await post('/projects', { ...named, namespace_id: group.id, initialize_with_readme: true });
  const [g, p] = [`/groups/${group.id}`, `/projects/${project.id}`];
  const places = { g, p, word, owner: owner.id };
  await furnishCode(post, places);
  const rows = await furnishPlans(post, places);
  await furnishSettings(post, places);
  await furnishReview(post, places, rows);
  await furnishBuilds(server, post, places, project.id);
  await furnishFiles(server, token, places);
  return { word, owner, group, project };
}

/** All rows of the group and its project, as text. */
export async function rowsOf(db: Database, { word, group, project }: PopulatedGroup): Promise<Set<string>> {
  const tables =
    db.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  const found = new Set<string>();
  for (const { name } of (await tables.execute(db.read)).rows) {
    // Except internal data of the server and the last use of tokens.
    if (/search|derived|jobs|pieces|_fts|access_tokens/.test(name)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db.read);
    for (const row of rows) {
      const text = `${name} ${JSON.stringify(row)}`;
      const place = Number(row.namespace_id ?? row.group_id);
      if (Number(row.project_id) === project.id || place === group.id || text.includes(word)) found.add(text);
    }
  }
  return found;
}

type Post = (path: string, json?: object) => Promise<ReturnType<ApiClient['must']>>;
interface Places {
  readonly g: string;
  readonly p: string;
  readonly word: string;
  readonly owner: number;
}

async function furnishCode(post: Post, { p, word }: Places): Promise<void> {
  const actions = [
    { action: 'create', file_path: '.gitlab-ci.yml', content: config },
    { action: 'create', file_path: `${word}.txt`, content: word },
  ];
  await post(`${p}/repository/commits`, { branch: 'main', commit_message: `[skip ci] ${word}`, actions });
  const change = [{ action: 'create', file_path: 'other.txt', content: word }];
  const commit = { branch: word, start_branch: 'main', commit_message: `[skip ci] other ${word}`, actions: change };
  const { id: sha } = await post(`${p}/repository/commits`, commit);
  await post(`${p}/repository/commits/${sha}/discussions`, { body: word });
  await post(`${p}/repository/tags`, { tag_name: word, ref: 'main' });
  await post(`${p}/releases`, { tag_name: word, name: word, description: word });
  await post(`${p}/releases/${word}/assets/links`, { name: word, url: `https://1.1.1.1/${word}` });
}

interface Plans {
  readonly milestone: number;
}

async function furnishPlans(post: Post, { g, p, word }: Places): Promise<Plans> {
  for (const place of [g, p]) {
    await post(`${place}/labels`, { name: `${word}-${place[1]}`, color: '#ff0000' });
    await post(`${place}/milestones`, { title: `${word}-${place[1]}` });
    await post(`${place}/badges`, { name: word, link_url: 'https://1.1.1.1/a', image_url: 'https://1.1.1.1/b' });
    await post(`${place}/variables`, { key: `${word}_KEY`, value: word });
    await post(`${place}/wikis`, { title: word, content: word });
    await post(`${place}/access_tokens`, { name: word, scopes: ['api'], expires_at: inAMonth() });
    await post(`${place}/deploy_tokens`, { name: word, scopes: ['read_repository'] });
    await post(`${place}/hooks`, { url: 'https://1.1.1.1/hook', name: word });
    const board = await post(`${place}/boards`, { name: word });
    const label = await post(`${place}/labels`, { name: `${word}-list-${place[1]}`, color: '#00ff00' });
    await post(`${place}/boards/${board.id}/lists`, { label_id: label.id });
  }
  const [{ id: milestone }] = [await post(`${p}/milestones`, { title: `${word} second` })];
  const issue = await post(`${p}/issues`, { title: word, description: word, milestone_id: milestone, labels: word });
  const other = await post(`${p}/issues`, { title: `${word} other`, confidential: true });
  const at = `${p}/issues/${issue.iid}`;
  await post(`${at}/links`, { target_project_id: issue.project_id, target_issue_iid: other.iid });
  await post(`${at}/todo`);
  const snippet = await post(`${p}/snippets`, {
    title: word,
    visibility: 'private',
    files: [{ file_path: `${word}.txt`, content: word }],
  });
  const epic = await post(`${g}/epics`, { title: word, labels: word });
  const child = await post(`${g}/epics`, { title: `${word} child` });
  await post(`${g}/epics/${epic.iid}/epics/${child.id}`);
  await post(`${g}/epics/${epic.iid}/issues/${issue.id}`);
  for (const place of [at, `${p}/snippets/${snippet.id}`]) await talk(post, place, word);
  await talk(post, `${g}/epics/${epic.iid}`, word, `${g}/epics/${epic.id}`);
  return { milestone };
}

/** Adds a reaction, a note with a reaction, and a thread. The URLs of epic notes contain the epic's ID. */
async function talk(post: Post, place: string, word: string, byId = place): Promise<void> {
  await post(`${place}/award_emoji`, { name: 'rocket' });
  const note = await post(`${byId}/notes`, { body: word });
  await post(`${place}/notes/${note.id}/award_emoji`, { name: 'rocket' });
  await post(`${byId}/discussions`, { body: word });
}

async function furnishSettings(post: Post, { g, p, word, owner }: Places): Promise<void> {
  await post(`${p}/deploy_keys`, { title: word, key: sshKeyPair().public });
  await post(`${p}/feature_flags`, { name: word, version: 'new_version_flag' });
  await post(`${p}/feature_flags_user_lists`, { name: word, user_xids: word });
  await post(`${p}/freeze_periods`, { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' });
  await post(`${p}/remote_mirrors`, { url: 'https://1.1.1.1/mirror.git' });
  await post(`${p}/triggers`, { description: word });
  const schedule = await post(`${p}/pipeline_schedules`, { description: word, ref: 'main', cron: '0 1 * * *' });
  await post(`${p}/pipeline_schedules/${schedule.id}/variables`, { key: word, value: word });
  await post(`${p}/protected_branches`, { name: `${word}/*` });
  await post(`${p}/protected_tags`, { name: `${word}-*` });
  await post(`${p}/environments`, { name: 'production' });
  await post(`${p}/protected_environments`, { name: 'production', deploy_access_levels: [{ access_level: 40 }] });
  await post(`${p}/approval_rules`, { name: word, approvals_required: 0, user_ids: [owner] });
  await post(`${g}/approval_rules`, { name: word, approvals_required: 0, user_ids: [owner] });
  await post(`${p}/external_status_checks`, { name: word, external_url: 'https://1.1.1.1/check' });
  await post(`${p}/error_tracking/client_keys`);
  await post(`${p}/registry/protection/repository/rules`, {
    repository_path_pattern: `${word}-group/${word}/*`,
    minimum_access_level_for_push: 'maintainer',
  });
  await post(`${p}/packages/protection/rules`, {
    package_name_pattern: `${word}*`,
    package_type: 'npm',
    minimum_access_level_for_push: 'maintainer',
  });
  await post(`${g}/service_accounts`, { name: word, username: `${word}-robot` });
}

async function furnishReview(post: Post, { p, word }: Places, { milestone }: Plans): Promise<void> {
  const request = { source_branch: word, target_branch: 'main', title: word, milestone_id: milestone, labels: word };
  const { iid } = await post(`${p}/merge_requests`, request);
  const place = `${p}/merge_requests/${iid}`;
  await talk(post, place, word);
  await post(`${place}/draft_notes`, { note: word });
  await post(`${place}/approval_rules`, { name: `${word} own`, approvals_required: 0 });
}

async function furnishBuilds(server: ApiClient, post: Post, { p, word }: Places, projectId: number): Promise<void> {
  const runner = await post('/user/runners', { runner_type: 'project_type', project_id: projectId, description: word });
  await post(`${p}/pipeline?ref=main`);
  const request = { token: runner.token, info: { features: {} } };
  const take = () => server.must('POST /jobs/request', { token: null, json: request });
  let job = await take();
  // Pipelines are created immediately, but their first jobs are enqueued in the background.
  await until(async () => {
    if (!job) job = await take();
    return Boolean(job);
  });
  const headers = { 'job-token': job.token };
  await server.must(`PATCH /jobs/${job.id}/trace`, {
    token: null,
    headers: { ...headers, 'content-range': `0-${word.length - 1}` },
    body: word,
  });
  const form = new FormData();
  form.append('file', new Blob([word]), 'a.txt');
  form.append('artifact_type', 'archive');
  form.append('artifact_format', 'raw');
  await server.api(`POST /jobs/${job.id}/artifacts`, { token: null, headers, body: form });
  await server.must(`PUT /jobs/${job.id}`, { token: null, json: { token: job.token, state: 'success' } });
}

async function furnishFiles(server: ApiClient, token: string, { p, word }: Places): Promise<void> {
  const form = (fields: Record<string, string>) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.append(name, value);
    made.append('file', new Blob([word]), `${word}.txt`);
    return made;
  };
  await server.must(`POST ${p}/uploads`, { token, body: form({}) });
  await server.must(`POST ${p}/secure_files`, { token, body: form({ name: word }) });
  await server.must(`PUT ${p}/packages/generic/${word}/1.0.0/${word}.txt`, { token, body: word });
  const state = JSON.stringify({ version: 4, serial: 1, lineage: word });
  await server.must(`POST ${p}/terraform/state/${word}`, {
    token,
    body: state,
    headers: { 'content-type': 'application/json' },
  });
}

function inAMonth(): string {
  return new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
}
