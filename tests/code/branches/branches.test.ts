import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { armFault } from '../../../src/platform/faults.ts';
import { inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addProject } from '../../support/scene.ts';

const source = new GitClient();

before(async () => {
  await source.init();
  await source.commit({ 'README.md': 'one\n' }, 'one');
  await source.git('branch', 'old');
  await source.git('checkout', '-q', '-b', 'feature/a.b');
  await source.commit({ 'a.txt': 'a\n' }, 'on a branch\n\nChangelog: added');
  await source.git('checkout', '-q', '-b', 'octopus', 'main');
  await source.commit({ 'b.txt': 'b\n' }, 'b');
  await source.git('checkout', '-q', 'main');
  await source.commit({ 'c.txt': 'c\n' }, 'c');
  await source.git('merge', '-q', '-m', 'octopus', 'feature/a.b', 'octopus');
  await source.git('checkout', '-q', '-b', 'unmerged');
  await source.commit({ 'd.txt': 'd\n' }, 'd');
  await source.git('checkout', '-q', '--orphan', 'orphan');
  await source.commit({ 'e.txt': 'e\n' }, 'e');
  await source.git('checkout', '-q', 'main');
  await source.git('branch', 'same-as-main');
  await source.git('tag', 'v1.0', 'old');
  await source.git('tag', '-a', '-m', 'annotated', 'v2.0', 'main');
});

forEachEngine((engine) => {
  describe('branches API', () => {
    let scene: ProjectWithRoles;
    let path: string;

    before(async () => {
      scene = await projectWithRoles(engine, 'branches', source);
      path = `${scene.base}/repository/branches`;
    });

    const names = async (query: string) =>
      ((await scene.asOwner(`GET ${path}?${query}`)).body as { name: string }[]).map((branch) => branch.name);

    it('lists branches like git does', async () => {
      const answer = await scene.asOwner(`GET ${path}`);
      assert.equal(answer.status, 200);
      const printed = await source.git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads/');
      assert.deepEqual(
        answer.body.map((one: { name: string; commit: { id: string } }) => `${one.name} ${one.commit.id}`),
        printed.split('\n'),
      );
      assert.equal(answer.headers.get('x-total'), '7');
      const mergedNames = (await source.git('branch', '--merged', 'main', '--format=%(refname:short)')).split('\n');
      for (const one of answer.body) {
        const expected = mergedNames.includes(one.name) && one.name !== 'main' && one.name !== 'same-as-main';
        assert.equal(one.merged, expected, one.name);
        assert.equal(one.default, one.name === 'main');
        assert.equal(one.protected, one.name === 'main');
        assert.equal(one.can_push, true);
        assert.equal(one.developers_can_push, false);
      }
      const one = answer.body[0];
      assert.deepEqual(Object.keys(one), [
        'name',
        'commit',
        'merged',
        'protected',
        'developers_can_push',
        'developers_can_merge',
        'can_push',
        'default',
        'web_url',
      ]);
      assert.equal(one.web_url, `${scene.server.url}/${scene.owner.user.username}/branches/-/tree/feature/a.b`);
      assert.deepEqual(one.commit.trailers, {});
    });

    it('filters by search and regex and sorts', async () => {
      assert.deepEqual(await names('search=OLD'), ['old']);
      assert.deepEqual(await names('search=^o'), ['octopus', 'old', 'orphan']);
      assert.deepEqual(await names(`regex=${encodeURIComponent('^(o|u)..')}`), [
        'octopus',
        'old',
        'orphan',
        'unmerged',
      ]);
      for (const regex of ['%28', 'a{1000}'.repeat(100)]) {
        assert.deepEqual((await scene.asOwner(`GET ${path}?regex=${regex}`)).body, { message: 'Regex is invalid' });
      }
      const both = await scene.asOwner(`GET ${path}?regex=a&search=b`);
      assert.equal(both.status, 400);
      assert.deepEqual(both.body, { error: 'search, regex are mutually exclusive' });
      for (const [sort, key] of [
        ['updated_desc', '-committerdate'],
        ['updated_asc', 'committerdate'],
      ]) {
        const printed = await source.git('for-each-ref', `--sort=${key}`, '--format=%(refname:short)', 'refs/heads/');
        assert.deepEqual(await names(`sort=${sort}`), printed.split('\n'));
      }
      assert.deepEqual((await scene.asOwner(`GET ${path}?sort=name`)).body, {
        error: 'sort does not have a valid value',
      });
    });

    it('matches a catastrophic backtracking regex in linear time', async () => {
      assert.deepEqual(await names(`regex=${encodeURIComponent('(a*)*b(o+)+$')}`), []);
    });

    it('supports keyset pagination by name', async () => {
      const first = await scene.asOwner(`GET ${path}?pagination=keyset&per_page=3`);
      assert.deepEqual(
        first.body.map((one: { name: string }) => one.name),
        ['feature/a.b', 'main', 'octopus'],
      );
      assert.equal(first.headers.get('x-total'), null);
      const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await scene.asOwner(`GET ${next.slice(scene.server.url.length)}`);
      assert.deepEqual(
        second.body.map((one: { name: string }) => one.name),
        ['old', 'orphan', 'same-as-main'],
      );
      // The branch of the token may have been deleted since.
      assert.deepEqual(await names('pagination=keyset&page_token=olx'), ['orphan', 'same-as-main', 'unmerged']);
      assert.deepEqual(await names('pagination=keyset&page_token=unmerged'), []);
    });

    it('needs the same number of queries and processes for any number of branches', async () => {
      const count = async (query: string) => {
        const { git } = scene.server.running.services;
        const { started } = git.counters().processes.work;
        const queries = await scene.server.queriesOf(() => scene.asOwner(`GET ${path}?${query}`));
        return [queries, git.counters().processes.work.started - started <= 1];
      };
      await scene.server.undisturbed(async () => {
        await scene.asOwner(`GET ${path}`);
        assert.deepEqual(await count('per_page=2'), await count('per_page=7'));
      });
    });

    it('returns a single branch', async () => {
      const one = await scene.asOwner(`GET ${path}/feature%2Fa.b`);
      assert.equal(one.status, 200);
      assert.equal(one.body.name, 'feature/a.b');
      assert.equal(one.body.merged, true);
      assert.deepEqual((await scene.asOwner(`GET ${path}/nope`)).body, { message: '404 Branch Not Found' });
      for (const bad of ['a..b', '-x', 'refs%2Fheads%2Fx', 'HEAD', 'a%20b', 'x.lock']) {
        const answer = await scene.asOwner(`GET ${path}/${bad}`);
        assert.equal(answer.status, 400, bad);
        assert.deepEqual(answer.body, { message: 'The branch refname is invalid' });
      }
      assert.equal((await scene.asOwner(`HEAD ${path}/main`)).status, 204);
      assert.equal((await scene.asOwner(`HEAD ${path}/nope`)).status, 404);
    });

    it('is restricted to users who can read the code', async () => {
      assert.deepEqual((await scene.server.api(`GET ${path}`, { token: null })).body, {
        message: '404 Project Not Found',
      });
      assert.deepEqual((await scene.server.api(`GET ${path}`, { token: scene.guest.token })).body, {
        message: '403 Forbidden',
      });
      const seen = await scene.asDeveloper(`GET ${path}/main`);
      assert.equal(seen.body.can_push, false);
    });

    it('creates branches from branches, tags and commits', async () => {
      const old = await source.git('rev-parse', 'old');
      const main = await source.git('rev-parse', 'main');
      const refs = { old, 'v1.0': old, 'v2.0': main, [old]: old, [old.slice(0, 10)]: old, HEAD: main, 'main~1': '' };
      for (const [at, [ref, id]] of Object.entries(refs).entries()) {
        const answer = await scene.asOwner(`POST ${path}`, { json: { branch: `made/${at}`, ref } });
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.body.commit.id, id || (await source.git('rev-parse', ref)));
        assert.equal((await scene.asOwner(`DELETE ${path}/made%2F${at}`)).status, 204);
      }
      const inQuery = await scene.asOwner(`POST ${path}?branch=by-query&ref=main`);
      assert.equal(inQuery.status, 201);
      assert.equal(inQuery.body.merged, false);
    });

    it('rejects invalid requests with the documented messages', async () => {
      const refused = async (branch: string, ref: string) => {
        const answer = await scene.asOwner(`POST ${path}`, { json: { branch, ref } });
        assert.equal(answer.status, 400, answer.text);
        return answer.body.message ?? answer.body.error;
      };
      assert.equal(await refused('', 'main'), 'branch is empty');
      assert.equal(await refused('x', ' '), 'ref is empty');
      assert.equal(await refused('a..b', 'main'), 'Branch name is invalid');
      assert.equal(await refused('-a', 'main'), 'Branch name is invalid');
      assert.equal(await refused('a b', 'main'), 'Branch name is invalid');
      assert.equal(await refused('main', 'old'), 'Branch already exists');
      assert.equal(await refused('x', 'nope'), "Failed to create branch 'x': invalid reference name 'nope'");
      assert.equal(await refused('x', '--all'), "Failed to create branch 'x': invalid reference name '--all'");
      assert.equal(await refused('x', ':/one'), "Failed to create branch 'x': invalid reference name ':/one'");
      assert.equal(
        await refused('main/sub', 'main'),
        "Failed to create branch 'main/sub': Branch name conflicts with existing branch hierarchy.",
      );
      assert.equal(
        await refused('feature', 'main'),
        "Failed to create branch 'feature': Branch name conflicts with existing branch hierarchy.",
      );
      assert.equal(
        await refused(`${'a'.repeat(40)}-x`, 'main'),
        'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
      );
      const none = await scene.asOwner(`POST ${path}`, { json: {} });
      assert.deepEqual(none.body, { error: 'branch is missing, branch is empty, ref is missing, ref is empty' });
      const json = { branch: 'x', ref: 'main' };
      assert.deepEqual((await scene.server.api(`POST ${path}`, { token: scene.guest.token, json })).body, {
        message: '403 Forbidden',
      });
    });

    it('respects protected branches on creation and deletion', async () => {
      await scene.asOwner(`POST ${scene.base}/protected_branches`, { json: { name: 'stable/*' } });
      const json = { branch: 'stable/1', ref: 'main' };
      const refused = await scene.asDeveloper(`POST ${path}`, { json });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body, { message: 'You are not allowed to create protected branches on this project.' });
      assert.equal((await scene.asOwner(`POST ${path}`, { json })).status, 201);
      const kept = await scene.asOwner(`DELETE ${path}/stable%2F1`);
      assert.equal(kept.status, 400);
      assert.match(kept.body.message, /^You are not allowed to delete protected branches from this project\./);
      const standing = await scene.asOwner(`DELETE ${path}/main`);
      assert.deepEqual(standing.body, { message: 'The default branch of a project cannot be deleted.' });
      assert.equal(standing.status, 400);
    });

    it('never deletes the default branch, even if it becomes it meanwhile', async () => {
      await inRounds(async (round) => {
        const json = { branch: `next-${round}`, ref: 'main' };
        await scene.asOwner(`POST ${path}`, { json });
        await Promise.all([
          scene.asOwner(`DELETE ${path}/next-${round}`),
          scene.asOwner(`PUT ${scene.base}`, { json: { default_branch: json.branch } }),
        ]);
        const { body } = await scene.asOwner(`GET ${scene.base}`);
        const found = await scene.asOwner(`GET ${path}/${encodeURIComponent(body.default_branch)}`);
        assert.equal(found.status, 200, body.default_branch);
        await scene.asOwner(`PUT ${scene.base}`, { json: { default_branch: 'main' } });
        // Removed by now if the deletion came first.
        await scene.asOwner(`DELETE ${path}/next-${round}`);
      }, 10);
    });

    it('becomes the default branch only while no push underway removes it', async () => {
      const json = { branch: 'leaving', ref: 'main' };
      await scene.asOwner(`POST ${path}`, { json });
      const disarm = armFault('push.recorded', () => {
        disarm();
        throw new Error('gone');
      });
      assert.equal((await scene.asOwner(`DELETE ${path}/leaving`)).status, 500);
      const refused = await scene.asOwner(`PUT ${scene.base}`, { json: { default_branch: 'leaving' } });
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: { base: ["Could not change HEAD: branch 'leaving' does not exist"] } }],
      );
      assert.equal((await scene.asOwner(`GET ${scene.base}`)).body.default_branch, 'main');
      assert.equal((await scene.asOwner(`DELETE ${path}/leaving`)).status, 204);
    });

    it('deletes a branch only if it is unmodified since If-Unmodified-Since', async () => {
      const headers = { 'if-unmodified-since': new Date(0).toUTCString() };
      const answer = await scene.asOwner(`DELETE ${path}/old`, { headers });
      assert.equal(answer.status, 412);
      assert.deepEqual(answer.body, { message: '412 Precondition Failed' });
      assert.equal((await scene.asOwner(`DELETE ${path}/nope`)).status, 404);
      assert.deepEqual((await scene.server.api(`DELETE ${path}/old`, { token: scene.guest.token })).body, {
        message: '403 Forbidden',
      });
    });

    it('protects and unprotects with the deprecated endpoints', async () => {
      const call = (what: string, json: object = {}) => scene.asOwner(`PUT ${path}/old/${what}`, { json });
      const first = await call('protect', { developers_can_push: true });
      assert.deepEqual(
        [first.status, first.body.protected, first.body.developers_can_push, first.body.developers_can_merge],
        [200, true, true, false],
      );
      const second = await call('protect', { developers_can_push: false, developers_can_merge: true });
      assert.deepEqual([second.body.developers_can_push, second.body.developers_can_merge], [false, true]);
      const third = await call('protect');
      assert.deepEqual([third.body.developers_can_push, third.body.developers_can_merge], [false, true]);
      assert.equal((await call('unprotect')).body.protected, false);
      assert.equal((await call('unprotect')).status, 200);
      assert.equal((await scene.asDeveloper(`PUT ${path}/old/protect`, { json: {} })).status, 403);
    });

    it('deletes merged branches in the background', async () => {
      assert.equal(
        (await scene.server.api(`DELETE ${scene.base}/repository/merged_branches`, { token: null })).status,
        404,
      );
      const answer = await scene.server.api(`DELETE ${scene.base}/repository/merged_branches`, {
        token: scene.developer.token,
      });
      assert.equal(answer.status, 202);
      assert.deepEqual(answer.body, { message: '202 Accepted' });
      await scene.server.running.services.queue.drain();
      assert.deepEqual(await names(''), ['by-query', 'main', 'orphan', 'same-as-main', 'stable/1', 'unmerged']);
      const events = await scene.asOwner(`GET ${scene.base}/events?action=pushed`);
      assert.equal(
        events.body.filter((event: { push_data?: { action: string } }) => event.push_data?.action === 'removed')
          .length > 2,
        true,
      );
    });

    it('lets exactly one of several concurrent creations succeed', async () => {
      const tries = await Promise.all(
        ['main', 'unmerged', 'orphan'].map((ref) => scene.asOwner(`POST ${path}`, { json: { branch: 'race', ref } })),
      );
      assert.deepEqual(tries.map((one) => one.status).sort(), [201, 400, 400]);
      for (const one of tries.filter(({ status }) => status === 400)) {
        assert.deepEqual(one.body, { message: 'Branch already exists' });
      }
    });

    it('creates a README when branching in an empty repository', async () => {
      const empty = await addProject(scene.server, scene.owner, 'empty', 'public');
      const list = `/projects/${empty.id}/repository/branches`;
      assert.deepEqual((await scene.server.api(`GET ${list}`, { token: null })).body, []);
      const anonymous = await scene.server.api(`POST ${list}`, { token: null, json: { branch: 'x', ref: 'main' } });
      assert.deepEqual([anonymous.status, anonymous.body], [403, { message: '403 Forbidden' }]);
      const made = await scene.asOwner(`POST ${list}`, { json: { branch: 'x', ref: 'main' } });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body.commit.message, 'Add README.md');
      assert.equal(made.body.commit.author_email, scene.owner.user.email);
      const both = await scene.asOwner(`GET ${list}`);
      assert.deepEqual(
        both.body.map((one: { name: string; protected: boolean }) => [one.name, one.protected]),
        [
          ['main', true],
          ['x', false],
        ],
      );
    });

    it('answers 404 if the repository is disabled', async () => {
      const off = await addProject(scene.server, scene.owner, 'off', 'public');
      await scene.server.db.write((trx) =>
        trx.updateTable('projects').set({ repository_access: 0 }).where('id', '=', off.id).execute(),
      );
      const answer = await scene.asOwner(`GET /projects/${off.id}/repository/branches`);
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Repository Not Found' }]);
    });
  });
});
