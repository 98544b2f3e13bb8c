import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addGroup, join } from '../../namespaces/projects/people.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('forks', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
    });

    it('decrement the fork count once on concurrent deletions', async () => {
      await inRounds(async (round) => {
        const source = await addProject(server, ann, `source-${round}`, 'public');
        const fork = await server.must(`POST /projects/${source.id}/fork`, bob);
        await server.must(`DELETE /projects/${fork.id}`, bob);
        const { path_with_namespace: full_path } = await server.must(`GET /projects/${fork.id}`, bob);
        const json = { permanently_remove: true, full_path };
        const answers = await atOnce(5, () => server.api(`DELETE /projects/${fork.id}`, { ...bob, json }));
        const { 202: removed, 403: forbidden = 0, 404: missing = 0 } = statuses(answers);
        // A concurrent request may still find the project but no role in it.
        assert.deepEqual([removed, forbidden + missing], [1, 4]);
        assert.equal((await server.must(`GET /projects/${source.id}`, ann)).forks_count, 0);
      }, 2);
    });

    let source: { id: number; name: string; path: string };
    before(async () => {
      source = await server.must('POST /projects', {
        json: { name: 'Origin', visibility: 'public', initialize_with_readme: true, description: 'copied' },
        token: ann.token,
      });
    });
    const fork = (json: object = {}, person: Person = bob) =>
      server.api(`POST /projects/${source.id}/fork`, { json, token: person.token });

    it('copy the repository in the background', async () => {
      const answer = await fork();
      assert.equal(answer.status, 201, answer.text);
      const { id, import_status, forked_from_project, description } = answer.body;
      assert.deepEqual(
        [import_status, forked_from_project.id, description, answer.body.path_with_namespace],
        ['scheduled', source.id, 'copied', `${bob.user.username}/origin`],
      );
      await server.running.services.queue.drain();
      const done = await server.must(`GET /projects/${id}`, bob);
      assert.deepEqual(
        [done.import_status, done.empty_repo, done.default_branch, done.mr_default_target_self],
        ['finished', false, 'main', false],
      );
      const tree = await server.must(`GET /projects/${id}/repository/tree`, bob);
      assert.equal(tree[0].path, 'README.md');
      assert.equal((await server.must(`GET /projects/${source.id}`, ann)).forks_count, 1);
      const forks = await server.must(`GET /projects/${source.id}/forks`, ann);
      assert.deepEqual(
        forks.map((each: { id: number }) => each.id),
        [id],
      );
      const again = await fork();
      assert.deepEqual(
        [again.status, again.body],
        [
          409,
          {
            message: [
              'Project namespace name has already been taken',
              'Name has already been taken',
              'Path has already been taken',
            ],
          },
        ],
      );
    });

    it('report which names are taken', async () => {
      const { name, path } = source;
      const clash = async (names: object) => (await fork(names)).body.message;
      const taken = (...names: string[]) => names.map((each) => `${each} has already been taken`);
      assert.deepEqual(await clash({ name: 'Elsewhere', path }), taken('Path'));
      assert.deepEqual(await clash({ name, path: 'elsewhere' }), taken('Project namespace name', 'Name'));
    });

    it('use the given namespace and attributes but never a wider visibility', async () => {
      const group = await addGroup(server, { visibility: 'internal' });
      await join(server, bob, { namespace_id: group.id }, 40);
      const answer = await fork({
        namespace_path: group.full_path,
        name: 'Other',
        path: 'other',
        visibility: 'public',
        branches: 'main',
        mr_default_target_self: true,
      });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(
        [answer.body.path_with_namespace, answer.body.visibility, answer.body.mr_default_target_self],
        [`${group.full_path}/other`, 'internal', true],
      );
      await server.running.services.queue.drain();
      const done = await server.must(`GET /projects/${answer.body.id}`, bob);
      assert.deepEqual([done.import_status, done.empty_repo], ['finished', false]);
    });

    it('of an empty repository are empty', async () => {
      const { id: empty } = await addProject(server, ann, 'nothing', 'public');
      const { id } = await server.must(`POST /projects/${empty}/fork`, bob);
      await server.running.services.queue.drain();
      const done = await server.must(`GET /projects/${id}`, bob);
      assert.deepEqual([done.import_status, done.empty_repo], ['finished', true]);
    });

    it('are rejected without the required permissions', async () => {
      const carol = await addPerson(server, 'carol');
      const group = await addGroup(server, { visibility: 'public' });
      const refusals: [object, string][] = [
        [{ namespace_id: 99_999 }, '404 Namespace Not Found'],
        [{ namespace_id: group.id }, '404 Target Namespace Not Found'],
        [{ branches: 'nowhere' }, '404 Source Branch Not Found'],
      ];
      for (const [json, message] of refusals) {
        const answer = await fork(json, carol);
        assert.deepEqual([answer.status, answer.body], [404, { message }]);
      }
      await server.must(`PUT /projects/${source.id}`, { json: { forking_access_level: 'disabled' } });
      const closed = await fork({}, carol);
      assert.deepEqual([closed.status, closed.body], [404, { message: '404 Not Found' }]);
      await server.must(`PUT /projects/${source.id}`, { json: { forking_access_level: 'enabled' } });
      assert.equal((await server.api(`POST /projects/${source.id}/fork`, { token: null })).status, 401);
    });

    it('can be linked and unlinked', async () => {
      const { id } = await addProject(server, bob, 'loose');
      const link = (from: number, person: Person = bob) => server.api(`POST /projects/${id}/fork/${from}`, person);
      assert.deepEqual((await link(id)).body, { message: 'Target project cannot be equal to source project' });
      assert.equal((await link(99_999)).status, 404);
      const linked = await link(source.id);
      assert.deepEqual([linked.status, linked.body.forked_from_project.id], [201, source.id]);
      const twice = await link(source.id);
      assert.deepEqual([twice.status, twice.body], [409, { message: 'Project already forked' }]);
      assert.equal((await server.api(`DELETE /projects/${id}/fork`, bob)).status, 204);
      assert.equal((await server.api(`DELETE /projects/${id}/fork`, bob)).status, 304);
      assert.equal((await link(source.id, ann)).status, 404);
    });

    it('keep restricted features restricted to members', async () => {
      const json = {
        name: 'guarded',
        visibility: 'public',
        initialize_with_readme: true,
        repository_access_level: 'private',
        issues_access_level: 'disabled',
        wiki_access_level: 'private',
        releases_access_level: 'private',
      };
      const guarded = await server.must('POST /projects', { json, token: ann.token });
      await join(server, bob, { project_id: guarded.id }, 30);
      const copy = await server.must(`POST /projects/${guarded.id}/fork`, bob);
      const { repository_access_level, issues_access_level, wiki_access_level, releases_access_level } = copy;
      assert.deepEqual(
        [copy.visibility, repository_access_level, issues_access_level, wiki_access_level, releases_access_level],
        ['public', 'private', 'disabled', 'private', 'private'],
      );
      await server.running.services.queue.drain();
      assert.equal((await server.must(`GET /projects/${copy.id}/repository/tree`, bob)).length, 1);
      const stranger = await addPerson(server, 'stranger');
      for (const path of ['repository/tree', 'repository/files/README.md/raw?ref=main', 'repository/archive']) {
        const seen = await server.api(`GET /projects/${copy.id}/${path}`, stranger);
        assert.ok(seen.status === 403 || seen.status === 404, `${path}: ${seen.status}`);
      }
    });
  });
});
