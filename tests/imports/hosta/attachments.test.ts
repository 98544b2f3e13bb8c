import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type Answer, startTestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { startHosta, token } from './world.ts';

const inText = /\/uploads\/[0-9a-f]{32}\/[\w-]+\.\w+/g;

forEachEngine((engine) => {
  it('imports attachments if requested', async () => {
    const world = await startHosta({ plainIssues: 0 });
    const server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', world.url]);
    await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
    const bring = async (new_name: string, optional_stages: object): Promise<Answer['body']> => {
      const json = { personal_access_token: token, repo_id: 77, target_namespace: 'team', new_name, optional_stages };
      const { id } = await server.must('POST /import/github', { json });
      const shown = () => server.must(`GET /projects/${id}/import`);
      await until(async () => !['scheduled', 'started'].includes((await shown()).import_status));
      const status = await shown();
      assert.equal(status.import_status, 'finished', status.import_error);
      return status;
    };
    const plain = await bring('without', {});
    assert.doesNotMatch((await server.must(`GET /projects/${plain.id}/issues/6`)).description, inText);
    assert.equal(plain.stats.fetched.issue_attachment, undefined);

    const { id, stats, failed_relations } = await bring('with', { attachments_import: 'true' });
    const { description } = await server.must(`GET /projects/${id}/issues/6`);
    const [picture = '', log = ''] = description.match(inText) ?? [];
    assert.match(
      description,
      /^!\[shot\]\(\/uploads\/\w+\/0a1b\.png\) of \[build\.log\]\(\/uploads\/\w+\/build\.log\)\. `http/,
    );
    const file = (url: string) => server.api(`GET /projects/${id}${url}`);
    assert.equal((await file(picture)).text, 'picture');
    assert.equal((await file(log)).text, 'it failed');
    const notes: Answer['body'][] = await server.must(`GET /projects/${id}/merge_requests/2/notes`);
    const outdated = notes.find(({ body }) => body.includes('outdated'));
    // The same file with the same URL, stored once.
    assert.ok(outdated.body.includes(picture), outdated.body);
    assert.equal((await server.must(`GET /projects/${id}/uploads`)).length, 2);
    assert.deepEqual([stats.imported.issue_attachment, stats.fetched.issue_attachment], [2, 2]);
    assert.deepEqual([stats.imported.note_attachment, stats.fetched.note_attachment], [1, 4]);
    const said = failed_relations.map((failure: Answer['body']) => [
      failure.relation_name,
      failure.source.split('/').at(-1),
      failure.exception_message,
    ]);
    assert.deepEqual(said.sort(), [
      ['note_attachment', 'gone.zip', 'the file could not be fetched (HTTP 404)'],
      ['note_attachment', 'large.mov', `The response has more than ${100 * 1024 * 1024} bytes`],
      ['note_attachment', 'secret.zip', 'the host requires signing in (HTTP 401)'],
    ]);
    const comments: Answer['body'][] = await server.must(`GET /projects/${id}/issues/1/notes`);
    assert.ok(
      comments.some(({ body }) => body.includes('/o/r/files/8/gone.zip')),
      'links to missing files are kept',
    );
  });
});
