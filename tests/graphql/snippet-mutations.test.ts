import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { type ProjectWithRoles, projectWithRoles } from '../support/project-with-roles.ts';
import { addPerson, type Person } from '../support/scene.ts';

const snippet =
  'snippet { id title visibilityLevel webUrl author { username } blobs { nodes { path rawPlainData } } } errors';
const create = `mutation ($title: String!, $path: ID, $files: [SnippetBlobActionInputType!]!) {
  createSnippet(input: { title: $title, visibilityLevel: private, projectPath: $path, blobActions: $files }) { ${snippet} }
}`;
const update = `mutation ($id: SnippetID!, $title: String, $files: [SnippetBlobActionInputType!]) {
  updateSnippet(input: { id: $id, title: $title, blobActions: $files }) { ${snippet} }
}`;
const destroy = 'mutation ($id: SnippetID!) { destroySnippet(input: { id: $id }) { snippet { id } errors } }';
const files = [{ action: 'create', filePath: 'a.txt', content: 'one' }];

forEachEngine((engine) => {
  describe('GraphQL snippet mutations', () => {
    let place: ProjectWithRoles;
    let outsider: Person;
    let path: string;

    before(async () => {
      place = await projectWithRoles(engine, 'notes');
      outsider = await addPerson(place.server, 'outsider');
      path = `${place.owner.user.username}/notes`;
    });

    const sending = (person: Person | null) => ({ token: person?.token ?? null });
    const must = (person: Person, query: string, variables = {}) =>
      mustGraphql(place.server, query, variables, sending(person));
    const refused = async (person: Person | null, query: string, variables = {}) => {
      const { body } = await askGraphql(place.server, query, variables, sending(person));
      assert.equal(body.errors?.[0]?.message, unavailable);
    };

    it('create, update and delete project snippets if the caller may', async () => {
      const { createSnippet: created } = await must(place.developer, create, { title: 'Text', path, files });
      assert.deepEqual(created.errors, []);
      assert.match(created.snippet.id, /^gid:\/\/gitlab\/ProjectSnippet\/\d+$/);
      assert.deepEqual(created.snippet.blobs.nodes, [{ path: 'a.txt', rawPlainData: 'one' }]);
      const { id } = created.snippet;
      const changes = [
        { action: 'update', filePath: 'a.txt', content: 'two' },
        { action: 'create', filePath: 'b.txt', content: 'three' },
      ];
      const { updateSnippet: changed } = await must(place.developer, update, { id, files: changes });
      assert.deepEqual(changed.snippet.blobs.nodes, [
        { path: 'a.txt', rawPlainData: 'two' },
        { path: 'b.txt', rawPlainData: 'three' },
      ]);
      const moved = [{ action: 'move', previousPath: 'b.txt', filePath: 'c.txt' }];
      const { updateSnippet: after } = await must(place.developer, update, { id, title: 'Named', files: moved });
      assert.deepEqual([after.snippet.title, after.snippet.blobs.nodes[1]?.path], ['Named', 'c.txt']);
      for (const person of [place.guest, outsider, null]) {
        await refused(person, create, { title: 'x', path, files });
        await refused(person, update, { id, title: 'x' });
        await refused(person, destroy, { id });
      }
      assert.deepEqual((await must(place.developer, destroy, { id })).destroySnippet, { snippet: null, errors: [] });
      await refused(place.developer, destroy, { id });
    });

    it('create personal snippets, which other users cannot access if private', async () => {
      const { createSnippet: created } = await must(outsider, create, { title: 'Mine', files });
      assert.match(created.snippet.id, /^gid:\/\/gitlab\/PersonalSnippet\/\d+$/);
      assert.equal(created.snippet.author.username, outsider.user.username);
      await refused(place.owner, update, { id: created.snippet.id, title: 'x' });
      await refused(place.owner, destroy, { id: created.snippet.id });
      await refused(null, create, { title: 'x', files });
    });

    it('return validation errors', async () => {
      const { createSnippet: blank } = await must(outsider, create, { title: '', files });
      assert.deepEqual([blank.snippet, blank.errors.length], [null, 1]);
      const { createSnippet: created } = await must(outsider, create, { title: 'Mine', files });
      const missing = [{ action: 'update', filePath: 'nowhere.txt', content: 'x' }];
      const { updateSnippet: wrong } = await must(outsider, update, { id: created.snippet.id, files: missing });
      assert.deepEqual([wrong.snippet.title, wrong.errors.length], ['Mine', 1]);
      await refused(outsider, create, { title: 'x', path: 'no/where', files });
    });
  });
});
