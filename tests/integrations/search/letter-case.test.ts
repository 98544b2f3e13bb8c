import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let project: string;
  let group: string;
  before(async () => {
    server = await startTestServer(engine);
    const { id } = await server.must('POST /groups', { json: { name: 'École', path: 'school' } });
    group = `/groups/${id}`;
    const created = await server.must('POST /projects', {
      json: { name: 'Écoles', namespace_id: id, initialize_with_readme: true },
    });
    project = `/projects/${created.id}`;
    const title = 'La Grande École de Łódź';
    await server.must('POST /users', {
      json: {
        name: title,
        username: 'ecolier',
        email: 'e@example.com',
        password: 'a-Long-pass-9',
        skip_confirmation: true,
      },
    });
    await server.must(`POST ${project}/issues`, { json: { title } });
    await server.must(`POST ${project}/issues/1/notes`, { json: { body: title } });
    await server.must(`POST ${project}/milestones`, { json: { title } });
    await server.must(`POST ${group}/epics`, { json: { title } });
    await server.must(`POST ${project}/labels`, { json: { name: title, color: '#112233' } });
    await server.must(`POST ${project}/snippets`, {
      json: { title, visibility: 'private', files: [{ file_path: 'a', content: 'a' }] },
    });
    await server.must(`POST ${project}/repository/branches?branch=b&ref=main`);
    await server.must(`POST ${project}/repository/files/f`, {
      json: { branch: 'b', content: 'f', commit_message: 'f' },
    });
    await server.must(`POST ${project}/merge_requests`, { json: { title, source_branch: 'b', target_branch: 'main' } });
  });

  for (const sought of ['ÉCOLE', 'école', 'École']) {
    test(`search for ${sought} is case-insensitive in every scope`, async () => {
      for (const call of [
        '/issues?scope=all&',
        `${project}/issues?`,
        `${group}/issues?`,
        '/merge_requests?scope=all&',
        `${project}/merge_requests?`,
        `${project}/milestones?`,
        `${project}/labels?`,
        `${group}/epics?`,
        '/projects?',
        `${group}/projects?`,
        '/groups?',
        '/users?',
        ...['issues', 'merge_requests', 'milestones', 'projects', 'users', 'snippet_titles'].map(
          (scope) => `/search?scope=${scope}&`,
        ),
        ...['issues', 'merge_requests', 'milestones', 'notes'].map((scope) => `${project}/search?scope=${scope}&`),
      ]) {
        const found = await server.must(`GET ${call}search=${encodeURIComponent(sought)}`);
        assert.equal(found.length, 1, call);
      }
    });
  }

  test('search does not find different letters', async () => {
    for (const sought of ['ECOLE', 'ÈCOLE', 'łodz']) {
      const found = await server.must(`GET ${project}/issues?search=${encodeURIComponent(sought)}`);
      assert.deepEqual(found, [], sought);
    }
    const found = await server.must(`GET ${project}/issues?search=${encodeURIComponent('ŁÓDŹ école')}`);
    assert.equal(found.length, 1);
  });
});
