import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import type { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { tangledRepository } from './tangled-repository.ts';

let source: GitClient;
before(async () => {
  source = await tangledRepository();
});

forEachEngine((engine) => {
  describe('single commit', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    const at = (sha: string, end = '') =>
      `GET /projects/${project.id}/repository/commits/${encodeURIComponent(sha)}${end}`;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      project = await addFilledProject(server, owner, 'tangled', source, 'public');
    });

    it('is found by ID, branch and tag, with or without stats', async () => {
      const head = await source.git('rev-parse', 'main');
      for (const name of [head, head.slice(0, 8), 'main', 'HEAD', 'refs/heads/main']) {
        const commit = await server.must(at(name), { token: null });
        assert.equal(commit.id, head);
        assert.deepEqual(Object.keys(commit).slice(-5), ['web_url', 'stats', 'status', 'project_id', 'last_pipeline']);
        assert.deepEqual(Object.keys(commit.stats), ['additions', 'deletions', 'total']);
        assert.deepEqual([commit.status, commit.last_pipeline, commit.project_id], [null, null, project.id]);
      }
      assert.equal((await server.must(at('v1.0'))).id, await source.git('rev-parse', 'v1.0^{commit}'));
      assert.ok(!('stats' in (await server.must(at('main', '?stats=false')))));
      for (const name of ['nope', '-x', 'main:src', '0'.repeat(40), 'x'.repeat(3000)]) {
        const answer = await server.api(at(name));
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Commit Not Found' }], name);
      }
    });

    it('lists the branches and tags that contain it', async () => {
      const expected = async (sha: string, ...prefixes: string[]) =>
        (await source.git('for-each-ref', '--contains', sha, '--format=%(refname)', ...prefixes))
          .split('\n')
          .map((ref) => ({
            type: ref.startsWith('refs/heads/') ? 'branch' : 'tag',
            name: ref.split('/').slice(2).join('/'),
          }));
      const sha = await source.git('rev-parse', 'one~1');
      assert.deepEqual(await server.must(at(sha, '/refs')), await expected(sha, 'refs/heads', 'refs/tags'));
      assert.deepEqual(await server.must(at(sha, '/refs?type=tag')), await expected(sha, 'refs/tags'));
      assert.deepEqual(await server.must(at(sha, '/refs?type=branch')), await expected(sha, 'refs/heads'));
      const page = await server.api(at(sha, '/refs?per_page=1&page=2'));
      assert.deepEqual(page.body, (await expected(sha, 'refs/heads', 'refs/tags')).slice(1, 2));
      assert.equal(page.headers.get('x-total'), null);
      assert.equal(page.headers.get('x-next-page'), '3');
      const wrong = await server.api(at(sha, '/refs?type=x'));
      assert.deepEqual([wrong.status, wrong.body], [400, { error: 'type does not have a valid value' }]);
    });

    it('counts its ancestors', async () => {
      for (const [query, flags] of [
        ['', []],
        ['?first_parent=true', ['--first-parent']],
      ] as const) {
        const count = Number(await source.git('rev-list', '--count', ...flags, 'main'));
        assert.deepEqual(await server.must(at('main', `/sequence${query}`)), { count });
      }
      assert.equal((await server.api(at('nope', '/sequence'))).status, 404);
    });

    it('shows its diff against the first parent', async () => {
      const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
      const ids = (await source.git('rev-list', 'main')).split('\n');
      for (const id of ids) {
        const [parent = empty] = (await source.git('rev-list', '--parents', '-1', id)).split(' ').slice(1);
        const printed = await source.git('-c', 'core.abbrev=40', 'diff', '-M', parent, id);
        const patches = printed.split(/^diff --git /m).slice(1);
        const diffs = await server.must(at(id, '/diff?per_page=100'));
        assert.equal(diffs.length, patches.length, id);
        for (const [i, patch] of patches.entries()) {
          const body = /^(@@ |Binary files )[\s\S]*/m.exec(patch)?.[0] ?? '';
          assert.equal(diffs[i].diff.trimEnd(), body.trimEnd());
          const moved = /^rename from (.*)\nrename to (.*)$/m.exec(patch);
          assert.equal(diffs[i].renamed_file, moved !== null);
          if (moved) assert.deepEqual([diffs[i].old_path, diffs[i].new_path], [moved[1], moved[2]]);
          assert.equal(diffs[i].new_file, /^new file mode/m.test(patch));
          assert.equal(diffs[i].deleted_file, /^deleted file mode/m.test(patch));
        }
      }
    });

    it('marks generated files, includes file headers on request and paginates', async () => {
      const last = await server.api(at('main', '/diff'));
      const byPath = new Map(last.body.map((one: { new_path: string }) => [one.new_path, one]));
      assert.deepEqual(byPath.get('package-lock.json'), {
        diff: '@@ -0,0 +1 @@\n+{}\n',
        collapsed: false,
        too_large: false,
        new_path: 'package-lock.json',
        old_path: 'package-lock.json',
        a_mode: '0',
        b_mode: '100644',
        new_file: true,
        renamed_file: false,
        deleted_file: false,
        generated_file: true,
      });
      assert.equal(last.headers.get('x-total'), '3');
      const [unified] = await server.must(at('main', '/diff?unidiff=true&per_page=1&page=2'));
      assert.match(unified.diff, /^--- \/dev\/null\n\+\+\+ b\/package-lock\.json\n@@ /);
    });

    it('has no merge requests by default', async () => {
      assert.deepEqual(await server.must(at('main', '/merge_requests')), []);
      assert.equal((await server.api(at('nope', '/merge_requests'))).status, 404);
      await server.must(`PUT /projects/${project.id}`, { json: { merge_requests_access_level: 'disabled' } });
      const off = await server.api(at('main', '/merge_requests'));
      assert.deepEqual([off.status, off.body], [403, { message: '403 Forbidden' }]);
      await server.must(`PUT /projects/${project.id}`, { json: { merge_requests_access_level: 'enabled' } });
    });

    it('answers 404 for the signature of an unsigned commit', async () => {
      const answer = await server.api(at('main', '/signature'));
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Signature Not Found' }]);
      const unknown = await server.api(at('nope', '/signature'));
      assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Commit Not Found' }]);
    });

    it('is hidden from users who cannot read the code', async () => {
      const guest = await addPerson(server, 'guest');
      const hidden = await addFilledProject(server, owner, `hidden-${engine}`, source);
      await addMember(server, hidden, guest, Role.guest);
      for (const end of ['', '/refs', '/sequence', '/diff', '/comments', '/merge_requests', '/signature']) {
        const call = `GET /projects/${hidden.id}/repository/commits/main${end}`;
        assert.equal((await server.api(call, { token: guest.token })).status, 403, end);
        assert.equal((await server.api(call, { token: null })).status, 404, end);
      }
    });
  });
});
