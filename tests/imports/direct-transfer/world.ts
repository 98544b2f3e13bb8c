import assert from 'node:assert/strict';
import type { Engine } from '../../../src/platform/database/database.ts';
import { type Answer, rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** Two servers that can reach each other: a source and a target. */
export async function twoServers(engine: Engine): Promise<{ source: TestServer; target: TestServer }> {
  const [source, target] = [await startTestServer(engine), await startTestServer(engine, ['--allow-local-egress'])];
  for (const server of [source, target]) {
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
  }
  return { source, target };
}

/** Creates a group with every kind of content, a subgroup, and projects in both. */
export async function fillGroup(server: TestServer): Promise<void> {
  const group = await server.must('POST /groups', { json: { name: 'The Team', path: 'team', visibility: 'public' } });
  const add = (place: string, json: object) => server.must(`POST /groups/${group.id}/${place}`, { json });
  await add('labels', { name: 'bug', color: '#ff0000' });
  const milestone = await add('milestones', { title: 'one', due_date: '2026-12-01' });
  await add('badges', { name: 'built', link_url: 'https://a.example/', image_url: 'https://a.example/x.svg' });
  const board = await add('boards', { name: 'Plan' });
  await add(`boards/${board.id}/lists`, { milestone_id: milestone.id });
  const form = new FormData();
  form.append('file', new Blob(['a plan']), 'plan.txt');
  const { markdown } = await server.must(`POST /groups/${group.id}/uploads`, { body: form });
  const whole = await add('epics', { title: 'Whole', labels: 'bug', description: markdown });
  await add('epics', { title: 'Part', parent_id: whole.id });
  await add('epics/1/notes', { body: 'said' });
  await add('epics/1/award_emoji', { name: 'thumbsup' });
  const inner = { name: 'Inner', path: 'inner', parent_id: group.id };
  const { id: innerId } = await server.must('POST /groups', { json: inner });
  const projectId = await fillProject(server, 'product', group.id);
  const { iid, id } = await server.must(`POST /projects/${projectId}/issues`, {
    json: { title: 'planned', labels: 'bug', milestone_id: milestone.id },
  });
  assert.equal(iid, 3);
  await add(`epics/1/issues/${id}`, {});
  const small = { name: 'small', namespace_id: innerId, description: 'in the inner group' };
  await server.must('POST /projects', { json: small });
}

export async function fillProject(server: TestServer, name: string, namespace_id: number): Promise<number> {
  const { id } = await server.must('POST /projects', {
    json: { name, namespace_id, initialize_with_readme: true, visibility: 'private', description: 'what we make' },
  });
  const add = (place: string, json: object) => server.must(`POST /projects/${id}/${place}`, { json });
  await add('labels', { name: 'own', color: '#00ff00' });
  const milestone = await add('milestones', { title: 'mine' });
  const form = new FormData();
  form.append('file', new Blob(['a picture']), 'shot.png');
  const { markdown } = await server.must(`POST /projects/${id}/uploads`, { body: form });
  for (const title of ['first', 'second']) {
    await add('issues', { title, description: markdown, labels: 'own', milestone_id: milestone.id });
  }
  await add('issues/1/notes', { body: 'a note' });
  await add('issues/1/links', { target_project_id: id, target_issue_iid: 2, link_type: 'blocks' });
  await add('boards', { name: 'Work' });
  await add('snippets', { title: 'A snippet', visibility: 'private', files: [{ file_path: 'a', content: 'b' }] });
  await add('wikis', { title: 'home', content: 'welcome' });
  const file = { branch: 'topic', start_branch: 'main', content: 'x\n', commit_message: 'A file' };
  await add('repository/files/new.txt', file);
  await add('merge_requests', { source_branch: 'topic', target_branch: 'main', title: 'A request' });
  await add('merge_requests/1/notes', { body: 'looked at' });
  const { id: sha } = await server.must(`GET /projects/${id}/repository/commits/main`);
  await add(`statuses/${sha}`, { state: 'success', name: 'elsewhere', ref: 'main' });
  await add('releases', { tag_name: 'v1', ref: 'main', name: 'One', milestones: ['mine'] });
  return id;
}

/** Parameters of a migration request. */
export function wanted(url: string, entities: readonly object[], token = rootToken): { json: object } {
  return { json: { configuration: { url, access_token: token }, entities } };
}

/** Waits for a migration to end and returns its result. */
export async function ended(
  server: TestServer,
  id: number,
  token?: string,
): Promise<{ status: string; has_failures: boolean; entities: Answer['body'][] }> {
  const sending = token === undefined ? {} : { token };
  const state = () => server.must(`GET /bulk_imports/${id}`, sending);
  await until(async () => !['created', 'started'].includes((await state()).status));
  const entities: Answer['body'][] = await server.must(`GET /bulk_imports/${id}/entities`, sending);
  const { status, has_failures } = await state();
  return { status, has_failures, entities };
}

export function assertWhole(entities: readonly Answer['body'][]): void {
  assert.deepEqual(
    entities.map(({ source_full_path, status, failures }) => [source_full_path, status, failures]),
    entities.map(({ source_full_path }) => [source_full_path, 'finished', []]),
  );
}
