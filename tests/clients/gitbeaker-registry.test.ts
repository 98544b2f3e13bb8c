import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { basic, RegistryClient } from '../ci/registry/registry-client.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

forEachEngine((engine) => {
  describe('gitbeaker container registry', () => {
    it('lists and deletes images', async () => {
      const server = await startTestServer(engine);
      const api = new Gitlab({ host: server.url, token: rootToken });
      const group = await api.Groups.create('Fleet', 'fleet');
      const project = await api.Projects.create({ name: 'ship', namespaceId: group.id });
      const client = new RegistryClient(server.url, basic('root', rootToken));
      for (const tag of ['v1', 'v2', 'dev-1']) await client.pushImage('fleet/ship', tag);
      const registry = api.ContainerRegistry;
      const [repository] = await registry.allRepositories({ projectId: project.id });
      assert.equal(repository?.path, 'fleet/ship');
      const id = repository?.id ?? 0;
      assert.equal((await registry.allRepositories({ groupId: group.id })).length, 1);
      assert.equal((await registry.showRepository(id)).path, 'fleet/ship');
      assert.equal((await registry.showTag(project.id, id, 'v1')).name, 'v1');
      await registry.removeTag(project.id, id, 'v1');
      const tags = async () => (await registry.allTags(project.id, id)).map(({ name }) => name);
      assert.deepEqual((await tags()).sort(), ['dev-1', 'v2']);
      await registry.removeTags(project.id, id, 'dev-.*');
      await until(async () => (await tags()).join() === 'v2');
      await registry.removeRepository(project.id, id);
    });
  });
});
