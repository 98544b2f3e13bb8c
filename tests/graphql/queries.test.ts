import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { getIntrospectionQuery } from 'graphql';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql } from '../support/graphql.ts';
import { type ReviewScene, reviewScene } from '../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('GraphQL queries', () => {
    let scene: ReviewScene;
    let path: string;
    let request: { id: number; iid: number };

    before(async () => {
      scene = await reviewScene(engine, 'private');
      path = `${scene.owner.user.username}/${scene.project.path}`;
      await scene.branch('feature', 'new.txt', 'one\n');
      request = await scene.open(scene.developer, 'feature', { title: 'Add a file', description: 'See **this**' });
    });

    const ask = (person: { token: string } | null, query: string, variables = {}) =>
      askGraphql(scene.server, query, variables, { token: person?.token ?? null });
    const must = (person: { token: string } | null, query: string, variables = {}) =>
      mustGraphql(scene.server, query, variables, { token: person?.token ?? null });

    it('returns the current user', async () => {
      const { currentUser } = await must(scene.developer, '{ currentUser { id username name webUrl state bot } }');
      const { user } = scene.developer;
      assert.equal(currentUser.id, `gid://gitlab/User/${user.id}`);
      assert.deepEqual([currentUser.username, currentUser.state, currentUser.bot], [user.username, 'active', false]);
      assert.deepEqual(await must(null, '{ currentUser { id } metadata { version } }'), {
        currentUser: null,
        metadata: null,
      });
      assert.equal((await must(scene.developer, '{ metadata { version } }')).metadata.version.length > 0, true);
    });

    it('supports the standard introspection query', async () => {
      const { __schema } = await must(null, getIntrospectionQuery());
      assert.ok(__schema.types.some(({ name }: { name: string }) => name === 'MergeRequest'));
    });

    it('returns a project, or null if the caller cannot see it', async () => {
      const query = `query GetProject($projectPath: ID!) {
        project(fullPath: $projectPath) {
          id name description httpUrlToRepo sshUrlToRepo fullPath webUrl wikiEnabled lfsEnabled group { id }
          repository { empty rootRef } userPermissions { pushCode adminProject } maxAccessLevel { stringValue }
        }
      }`;
      const { project } = await must(scene.developer, query, { projectPath: path });
      assert.equal(project.id, `gid://gitlab/Project/${scene.project.id}`);
      assert.equal(project.fullPath, path);
      assert.equal(project.group, null);
      assert.deepEqual(project.repository, { empty: false, rootRef: 'main' });
      assert.deepEqual(project.userPermissions, { pushCode: true, adminProject: false });
      assert.equal(project.maxAccessLevel.stringValue, 'DEVELOPER');
      for (const person of [scene.outsider, null]) {
        assert.deepEqual(await must(person, query, { projectPath: path }), { project: null });
      }
      assert.deepEqual(await must(scene.owner, query, { projectPath: String(scene.project.id) }), { project: null });
    });

    it('returns merge requests', async () => {
      const query = `query ($path: ID!, $iid: String!) {
        project(fullPath: $path) {
          mergeRequest(iid: $iid) {
            id iid title descriptionHtml state draft sourceBranch targetBranch webUrl diffRefs { baseSha headSha startSha }
            author { username } userPermissions { createNote canMerge adminMergeRequest }
          }
          mergeRequests(state: opened, first: 1) { count nodes { iid diffRefs { headSha } } pageInfo { hasNextPage endCursor } }
        }
      }`;
      const { project } = await must(scene.developer, query, { path, iid: String(request.iid) });
      const { mergeRequest } = project;
      assert.equal(mergeRequest.id, `gid://gitlab/MergeRequest/${request.id}`);
      assert.match(mergeRequest.descriptionHtml, /<strong[^>]*>this<\/strong>/);
      assert.equal(mergeRequest.author.username, scene.developer.user.username);
      assert.equal(mergeRequest.diffRefs.headSha.length, 40);
      assert.deepEqual(mergeRequest.userPermissions, { createNote: true, canMerge: false, adminMergeRequest: true });
      assert.equal(project.mergeRequests.count, 1);
      assert.deepEqual(project.mergeRequests.nodes, [
        { iid: '1', diffRefs: { headSha: mergeRequest.diffRefs.headSha } },
      ]);
      const byId = await must(
        scene.developer,
        `{ mergeRequest(id: "gid://gitlab/MergeRequest/${request.id}") { iid } }`,
      );
      assert.deepEqual(byId, { mergeRequest: { iid: '1' } });
      const hidden = await must(
        scene.outsider,
        `{ mergeRequest(id: "gid://gitlab/MergeRequest/${request.id}") { iid } }`,
      );
      assert.deepEqual(hidden, { mergeRequest: null });
    });

    it('filters by one branch and rejects several', async () => {
      const query = `query ($path: ID!, $of: [String!]) {
        project(fullPath: $path) { mergeRequests(sourceBranches: $of) { count nodes { sourceBranch } } }
      }`;
      const one = await must(scene.developer, query, { path, of: ['feature'] });
      assert.deepEqual(one.project.mergeRequests, { count: 1, nodes: [{ sourceBranch: 'feature' }] });
      const none = await must(scene.developer, query, { path, of: ['other'] });
      assert.deepEqual(none.project.mergeRequests, { count: 0, nodes: [] });
      const { body } = await ask(scene.developer, query, { path, of: ['feature', 'other'] });
      assert.equal(body.errors[0].message, '`sourceBranches` accepts only one value');
    });

    it("reports unknown fields in GitLab's format", async () => {
      const { status, body } = await ask(scene.developer, '{ currentUser { nonsense } }');
      assert.equal(status, 200);
      assert.deepEqual(body.errors, [
        {
          message: "Field 'nonsense' doesn't exist on type 'CurrentUser'",
          locations: [{ line: 1, column: 17 }],
          extensions: { code: 'undefinedField', typeName: 'CurrentUser', fieldName: 'nonsense' },
        },
      ]);
    });

    it('rejects an invalid token', async () => {
      const answer = await ask({ token: 'glpat-wrong' }, '{ currentUser { id } }');
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body, { errors: [{ message: 'Invalid token' }] });
    });
  });
});
