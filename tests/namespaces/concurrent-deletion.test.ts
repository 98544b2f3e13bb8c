import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { inRounds } from '../support/at-once.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Sending, startTestServer, type TestServer } from '../support/server.ts';

/** Requests sent to a project while it is being deleted. */
function callsOn(project: string): [string, Sending?][] {
  const actions = [{ action: 'create', file_path: 'one', content: '1' }];
  return [
    [`POST ${project}/issues`, { json: { title: 'Late', labels: 'a,b' } }],
    [`POST ${project}/wikis`, { json: { title: 'Late', content: 'x' } }],
    [`POST ${project}/hooks`, { json: { url: 'https://example.com' } }],
    [`POST ${project}/pipeline?ref=main`],
    [`PUT ${project}/packages/generic/late/1.0/file`, { body: 'x' }],
    [`POST ${project}/repository/commits`, { json: { branch: 'main', commit_message: 'Late', actions } }],
    [`POST ${project}/snippets`, { json: { title: 'Late', visibility: 'private', file_name: 'a', content: 'b' } }],
    [`POST ${project}/wikis`, { json: { title: 'Later', content: 'x' } }],
    [`POST ${project}/environments`, { json: { name: 'late' } }],
    [`POST ${project}/access_tokens`, { json: { name: 'late', scopes: ['api'] } }],
  ];
}

forEachEngine((engine) => {
  describe('concurrent deletion of a project', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine, ['--deletion-delay', '0']);
    });

    /** No request fails with a server error, and no files remain on disk. */
    const removedMeanwhile = async (removal: string, project: string, at: number) => {
      const calls = callsOn(project);
      calls.splice(at, 0, [removal]);
      const answers = await Promise.all(calls.map(([call, sending]) => server.api(call, sending)));
      for (const [index, { status }] of answers.entries()) assert.ok(status < 500, `${calls[index]?.[0]}: ${status}`);
      await server.running.services.queue.drain();
      assert.equal((await server.api(`GET ${project}`)).status, 404);
      const { data } = server.running.services.config;
      for (const folder of ['repositories', 'storage']) {
        const entries = await readdir(join(data, folder), { recursive: true }).catch(() => []);
        const remaining = entries.filter((name) => /\.git$|^(?:packages|uploads)\/.*\/[^/]{20,}$/.test(name));
        assert.deepEqual(remaining, [], folder);
      }
    };

    it('leaves nothing behind when the project is deleted', () =>
      inRounds(async (round) => {
        const json = { name: `lonely-${round}`, initialize_with_readme: true };
        const project = `/projects/${(await server.must('POST /projects', { json })).id}`;
        await removedMeanwhile(`DELETE ${project}`, project, round * 2);
      }));

    it('leaves nothing behind when the group is deleted', () =>
      inRounds(async (round) => {
        const name = `crowd-${round}`;
        const group = await server.must('POST /groups', { json: { name, path: name } });
        const json = { name: 'inside', namespace_id: group.id, initialize_with_readme: true };
        const project = `/projects/${(await server.must('POST /projects', { json })).id}`;
        await removedMeanwhile(`DELETE /groups/${group.id}`, project, round * 2);
      }));
  });
});
