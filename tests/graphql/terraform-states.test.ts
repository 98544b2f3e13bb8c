import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { mustGraphql } from '../support/graphql.ts';
import { type ProjectWithRoles, projectWithRoles } from '../support/project-with-roles.ts';
import { addPerson, type Person } from '../support/scene.ts';

const fields = 'name createdAt deletedAt latestVersion { createdAt updatedAt downloadPath serial } updatedAt lockedAt';
const list = `query ($path: ID!) { project(fullPath: $path) { terraformStates { count nodes { ${fields} } } } }`;
const one = `query ($path: ID!, $name: String!) { project(fullPath: $path) { terraformState(name: $name) { ${fields} } } }`;

forEachEngine((engine) => {
  describe('GraphQL Terraform states', () => {
    let place: ProjectWithRoles;
    let path: string;

    before(async () => {
      place = await projectWithRoles(engine, 'infrastructure');
      path = `${place.owner.user.username}/infrastructure`;
      const write = (name: string, serial: number) =>
        place.asOwner(`POST ${place.base}/terraform/state/${name}`, { json: { version: 4, serial, lineage: 'l' } });
      for (const serial of [1, 2]) assert.equal((await write('production', serial)).status, 200);
      const json = { ID: 'x', Operation: 'Apply', Info: '', Who: 'me', Version: '1', Created: '2030-01-01', Path: '' };
      assert.equal((await place.asOwner(`POST ${place.base}/terraform/state/a%20b/lock`, { json })).status, 200);
    });

    const must = (person: Person | null, query: string, variables = {}) =>
      mustGraphql(place.server, query, { path, ...variables }, { token: person?.token ?? null });

    it('are returned with their latest version and lock', async () => {
      const { count, nodes } = (await must(place.developer, list)).project.terraformStates;
      assert.deepEqual([count, nodes.map(({ name }: { name: string }) => name).sort()], [2, ['a b', 'production']]);
      const { terraformState: state } = (await must(place.developer, one, { name: 'production' })).project;
      assert.deepEqual([state.lockedAt, state.deletedAt, state.latestVersion.serial], [null, null, 2]);
      const address = `/api/v4/projects/${place.project.id}/terraform/state/production/versions/2`;
      assert.equal(state.latestVersion.downloadPath, address);
      const { terraformState: locked } = (await must(place.developer, one, { name: 'a b' })).project;
      assert.equal(locked.latestVersion, null);
      assert.notEqual(locked.lockedAt, null);
      assert.equal((await must(place.developer, one, { name: '../x' })).project.terraformState, null);
    });

    it('are only visible to users who may read them', async () => {
      for (const person of [place.reporter, place.guest]) {
        assert.deepEqual((await must(person, list)).project.terraformStates, { count: 0, nodes: [] });
        assert.equal((await must(person, one, { name: 'production' })).project.terraformState, null);
      }
      const outsider = await addPerson(place.server, 'outsider');
      for (const person of [outsider, null]) assert.deepEqual(await must(person, list), { project: null });
    });
  });
});
