import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('gitbeaker', () => {
    let server: TestServer;
    let client: InstanceType<typeof Gitlab>;

    before(async () => {
      server = await startTestServer(engine);
      client = new Gitlab({ host: server.url, token: rootToken });
    });

    it('manages a project from creation to deletion', async () => {
      const group = await client.Groups.create('Team', 'team');
      const project = await client.Projects.create({
        name: 'Client Made',
        namespaceId: group.id,
        initializeWithReadme: true,
        topics: ['one', 'two'],
      });
      assert.equal(project.path_with_namespace, 'team/client-made');
      const shown = await client.Projects.show('team/client-made', { statistics: true });
      assert.deepEqual(shown.topics, ['one', 'two']);
      assert.equal((shown.statistics as { commit_count?: number }).commit_count, 1);
      const edited = await client.Projects.edit(project.id, { description: 'changed', mergeMethod: 'ff' });
      assert.deepEqual([edited.description, edited.merge_method], ['changed', 'ff']);
      await client.Projects.star(project.id);
      const starrers = await client.Projects.allStarrers(project.id);
      assert.equal(starrers.length, 1);
      const root = await client.Users.showCurrentUser();
      const fork = await client.Projects.fork(project.id, { namespaceId: root.namespace_id as number });
      assert.equal(fork.path_with_namespace, 'root/client-made');
      assert.deepEqual(
        (await client.Projects.allForks(project.id)).map((each) => each.id),
        [fork.id],
      );
      await client.Projects.archive(project.id);
      assert.equal((await client.Projects.show(project.id)).archived, true);
      await client.Projects.unarchive(project.id);
      assert.deepEqual(await client.Projects.showLanguages(project.id), {});
      const upload = await client.Projects.uploadForReference(project.id, {
        content: new Blob(['hello']),
        filename: 'hello.txt',
      });
      assert.match(upload.markdown, /^\[hello\.txt\]\(\/uploads\//);
      await client.Projects.remove(fork.id);
    });

    it('iterates long lists with offset and keyset pagination', async () => {
      const all = Array.from({ length: 25 }, (_, index) => client.Projects.create({ name: `p${index}` }));
      await Promise.all(all);
      const pages = await client.Projects.all({ perPage: 10, search: 'p' });
      const walked = await client.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 7 });
      assert.ok(walked.length >= 25);
      assert.deepEqual(
        walked.map((each) => each.id),
        walked.map((each) => each.id).sort((a, b) => a - b),
      );
      assert.deepEqual(pages, []);
    });

    it('receives the expected errors', async () => {
      await assert.rejects(client.Projects.show('no/where'), { message: '404 Project Not Found' });
      await assert.rejects(client.Projects.create({ name: 'p1' }), /has already been taken/);
    });
  });
});
