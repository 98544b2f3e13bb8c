import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { measureLanguages } from '../../../src/code/languages/service.ts';
import { commitFiles } from '../../namespaces/projects/commit.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('project languages', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let project: { id: number };
    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      project = await addProject(server, ann, 'plain', 'public');
    });

    it('are returned by share of bytes and usable as a project filter', async () => {
      assert.deepEqual(await server.must(`GET /projects/${project.id}/languages`, ann), {});
      const { id } = await addProject(server, ann, 'polyglot');
      await commitFiles(server, ann, id, {
        'a.go': 'x'.repeat(300),
        'b.rb': 'y'.repeat(100),
        'README.md': 'z'.repeat(500),
        'vendor/c.go': 'v'.repeat(900),
      });
      const call = `GET /projects/${id}/languages`;
      assert.deepEqual(await server.must(call, ann), { Go: 75, Ruby: 25 });
      assert.deepEqual(await server.must(call, ann), { Go: 75, Ruby: 25 });
      const look = () => server.must(`GET /projects/${id}?statistics=true`, ann);
      // The statistics are updated by a job shortly after the push.
      let seen = await look();
      while (seen.statistics.commit_count === 0) seen = await look();
      assert.deepEqual([seen.statistics.commit_count, seen.statistics.repository_size > 0], [1, true]);
      assert.match(seen.readme_url, /README\.md$/);
      const found = await server.must('GET /projects?with_programming_language=ruby', ann);
      assert.deepEqual(
        found.map((each: { id: number }) => each.id),
        [id],
      );
      assert.equal((await server.api(call, bob)).status, 404);
      // Nested trees can expand to more files than can be read: only the first ones are measured.
      const { git } = server.running.services;
      const first = await measureLanguages(git.repository(id), 'refs/heads/main', undefined, 2);
      assert.deepEqual([...first], [['Go', 300]]);
    });
  });
});
