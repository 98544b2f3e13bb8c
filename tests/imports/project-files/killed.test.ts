import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { rootToken, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** Points in each stage. `npm run soak:imports` uses all of them, the tests only the most relevant. */
const deaths: readonly [point: string, always: boolean][] = [
  ['import.stage.file', false],
  ['import.stage.repository', false],
  ['import.stage.lfs_objects', false],
  ['import.stage.uploads', false],
  ['import.stage.wiki', false],
  // Labels and milestones, then issues with their notes. Points without a count are near the end of a stage.
  ['import.written:2', true],
  ['import.stage.milestones', false],
  ['import.written:4', true],
  ['import.stage.issue_links', false],
  ['import.stage.boards', false],
  ['import.written:3', false],
  ['import.stage.merge_requests', false],
  ['import.stage.releases', false],
  ['import.stage.snippets', true],
  ['import.stage.pipelines', false],
  ['import.stage.protected_refs', false],
  ['import.stage.project', false],
];
const large = process.env.HEARTH_SOAK === '1';

/** Archive of a project with every kind of content. */
async function projectFile(server: TestServer): Promise<Blob> {
  const { id: namespace_id } = await server.must('GET /groups/team');
  const project = { name: 'source', namespace_id, initialize_with_readme: true };
  const { id } = await server.must('POST /projects', { json: project });
  const add = (place: string, json: object) => server.must(`POST /projects/${id}/${place}`, { json });
  await add('labels', { name: 'bug', color: '#ff0000' });
  await add('labels', { name: 'idea', color: '#00ff00' });
  const milestone = await add('milestones', { title: 'one' });
  const form = new FormData();
  form.append('file', new Blob(['a picture']), 'shot.png');
  const { markdown } = await server.must(`POST /projects/${id}/uploads`, { body: form });
  for (const title of ['first', 'second', 'third']) {
    await add('issues', { title, description: markdown, labels: 'bug', milestone_id: milestone.id });
  }
  await add('issues/1/notes', { body: 'a note' });
  await add('issues/1/award_emoji', { name: 'thumbsup' });
  await add('issues/1/links', { target_project_id: id, target_issue_iid: 2, link_type: 'blocks' });
  const board = await add('boards', { name: 'Plan' });
  await add(`boards/${board.id}/lists`, { milestone_id: milestone.id });
  await add('snippets', { title: 'A snippet', visibility: 'private', files: [{ file_path: 'a', content: 'b' }] });
  await add('wikis', { title: 'home', content: 'welcome' });
  const file = { branch: 'topic', start_branch: 'main', content: 'x\n', commit_message: 'A file' };
  await add('repository/files/new.txt', file);
  await add('merge_requests', { source_branch: 'topic', target_branch: 'main', title: 'A request' });
  await add('merge_requests/1/notes', { body: 'said' });
  const { id: sha } = await server.must(`GET /projects/${id}/repository/commits/main`);
  await add(`statuses/${sha}`, { state: 'success', name: 'elsewhere', ref: 'main' });
  await add('releases', { tag_name: 'v1', ref: 'main', name: 'One', milestones: ['one'] });
  assert.equal((await server.api(`POST /projects/${id}/export`)).status, 202);
  await until(async () => (await server.must(`GET /projects/${id}/export`)).export_status === 'finished');
  const headers = { 'private-token': rootToken };
  return (await fetch(`${server.url}/api/v4/projects/${id}/export/download`, { headers })).blob();
}

forEachEngine((engine) => {
  it('an archive import with a killed server ends like an undisturbed one', async () => {
    let file = new Blob([]);
    const points = deaths.filter(([, always]) => always || large).map(([point]) => point);
    await killImport({
      engine,
      flags: [],
      deaths: engine === 'sqlite' || large ? points : points.slice(1, 2),
      prepare: async (server) => {
        file = await projectFile(server);
      },
      wanted: (path) => {
        const form = new FormData();
        form.append('path', path);
        form.append('namespace', 'team');
        form.append('file', file, 'export.tar.gz');
        return { path: '/projects/import', form };
      },
      filled: ['issues', 'merge_requests', 'notes', 'boards', 'snippets', 'issue_links', 'pipelines', 'uploads'],
    });
  });
});
