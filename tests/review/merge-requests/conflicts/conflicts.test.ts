import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { withCredentials } from '../../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import type { Person } from '../../../support/scene.ts';

forEachEngine((engine) => {
  describe('merge request conflicts', () => {
    let scene: ReviewScene;
    let number = 0;

    const settle = () => scene.server.running.services.queue.drain();
    const conflicts = async (iid: number, person: Person | null = scene.developer) =>
      scene.api(person, `GET ${scene.base}/${iid}/conflicts`);
    const resolve = (iid: number, json: Record<string, unknown>, person: Person | null = scene.developer) =>
      scene.api(person, `POST ${scene.base}/${iid}/resolve_conflicts`, { json });
    const fileIn = async (ref: string, path: string) =>
      scene.api(
        scene.developer,
        `GET /projects/${scene.project.id}/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}`,
      );

    /** Commits files to a branch; null deletes a file. */
    const commit = async (branch: string, from: string, files: Record<string, string | Buffer | null>) => {
      const { git } = scene;
      await git.git('checkout', '-q', '-B', branch, from);
      for (const [path, content] of Object.entries(files)) if (content === null) await git.git('rm', '-q', path);
      const written = Object.entries(files).flatMap(([path, content]) => (content === null ? [] : [[path, content]]));
      await git.commit(Object.fromEntries(written), `Change ${branch}`);
    };

    /** Creates a merge request whose source and target have diverged from common files. */
    const apart = async (
      common: Record<string, string | Buffer>,
      source: Record<string, string | Buffer | null>,
      target: Record<string, string | Buffer | null>,
    ) => {
      number += 1;
      const [from, to] = [`source-${number}`, `target-${number}`];
      await commit(to, 'main', common);
      await commit(from, to, source);
      await commit(to, to, target);
      await scene.push(scene.owner, from, to);
      const made = await scene.open(scene.developer, from, { target_branch: to });
      await settle();
      return { iid: made.iid as number, from, to };
    };

    before(async () => {
      scene = await reviewScene(engine, 'private');
    });

    it('are shown by section and resolved by a merge commit on the source', async () => {
      const lines = (first: string, last: string) => `${first}\n${'same\n'.repeat(9)}${last}\n`;
      const { iid, from, to } = await apart(
        { 'a b/ü.txt': lines('x', 'y'), 'clean.txt': 'c\n' },
        { 'a b/ü.txt': lines('s1', 's2') },
        { 'a b/ü.txt': lines('t1', 't2'), 'clean.txt': 'd\n' },
      );
      const shown = await conflicts(iid);
      assert.equal(shown.status, 200);
      const { source_sha, target_sha, commit_message, files } = shown.body;
      assert.deepEqual(files, [
        {
          path: 'a b/ü.txt',
          in_source: true,
          in_target: true,
          sections: [
            { conflict: true, text: null, source: 's1\n', target: 't1\n' },
            { conflict: false, text: 'same\n'.repeat(9), source: null, target: null },
            { conflict: true, text: null, source: 's2\n', target: 't2\n' },
          ],
        },
      ]);
      assert.equal(commit_message, `Merge branch '${to}' into '${from}'\n\n# Conflicts:\n#   a b/ü.txt`);
      const json = { source_sha, target_sha, files: [{ path: 'a b/ü.txt', choices: ['target', 'both'] }] };
      const done = await resolve(iid, json);
      assert.equal(done.status, 201, JSON.stringify(done.body));
      assert.equal((await fileIn(from, 'a b/ü.txt')).text, `t1\n${'same\n'.repeat(9)}s2\nt2\n`);
      assert.equal((await fileIn(from, 'clean.txt')).text, 'd\n');
      const { body: made } = await scene.api(
        scene.developer,
        `GET /projects/${scene.project.id}/repository/commits/${done.body.commit_id}`,
      );
      assert.deepEqual(made.parent_ids, [source_sha, target_sha]);
      assert.deepEqual([made.message, made.author_name], [commit_message, scene.developer.user.name]);
      await settle();
      const { body: request } = await scene.api(scene.developer, `GET ${scene.base}/${iid}`);
      assert.deepEqual([request.sha, request.detailed_merge_status], [done.body.commit_id, 'mergeable']);
      assert.deepEqual((await conflicts(iid)).body.files, []);
      const now = { source_sha: request.sha, target_sha, files: [] };
      assert.deepEqual((await resolve(iid, now)).body, { message: 'There are no conflicts to resolve' });
    });

    it('can be resolved with a text, or by choosing a side of files that are not text', async () => {
      const { iid, from } = await apart(
        { 'text.txt': 'x\n', 'gone.txt': 'x\n', 'binary.bin': Buffer.from([0, 1]), 'kept.txt': 'x\n' },
        { 'text.txt': 's\n', 'gone.txt': 's\n', 'binary.bin': Buffer.from([0, 2]), 'kept.txt': null },
        { 'text.txt': 't\n', 'gone.txt': null, 'binary.bin': Buffer.from([0, 3]), 'kept.txt': 't\n' },
      );
      const { source_sha, target_sha, files } = (await conflicts(iid)).body;
      const short = files.map((file: Record<string, unknown>) => [
        file.path,
        file.in_source,
        file.in_target,
        file.sections !== null,
      ]);
      assert.deepEqual(short, [
        ['binary.bin', true, true, false],
        ['gone.txt', true, false, false],
        ['kept.txt', false, true, false],
        ['text.txt', true, true, true],
      ]);
      const done = await resolve(iid, {
        source_sha,
        target_sha,
        commit_message: 'Both, as agreed',
        files: [
          { path: 'text.txt', content: 'agreed\n' },
          { path: 'gone.txt', take: 'target' },
          { path: 'binary.bin', take: 'target' },
          { path: 'kept.txt', take: 'target' },
        ],
      });
      assert.equal(done.status, 201, JSON.stringify(done.body));
      assert.equal((await fileIn(from, 'text.txt')).text, 'agreed\n');
      assert.equal((await fileIn(from, 'gone.txt')).status, 404);
      assert.equal((await fileIn(from, 'kept.txt')).text, 't\n');
      assert.equal((await fileIn(from, 'binary.bin')).text, '\0\u0003');
    });

    it('can be resolved for renamed files, and for a file replaced by a directory', async () => {
      const { iid, from } = await apart(
        { old: 'long enough\nto be found\nagain\n', thing: 'x\n' },
        { old: null, ours: 'long enough\nto be found\nagain\n', thing: 's\n' },
        { old: null, theirs: 'long enough\nto be found\nagain\n', thing: null, 'thing/inside': 'x\n' },
      );
      const { source_sha, target_sha, files } = (await conflicts(iid)).body;
      const all = (take: string) => files.map(({ path }: { path: string }) => ({ path, take }));
      const done = await resolve(iid, { source_sha, target_sha, files: all('source') });
      assert.equal(done.status, 201, JSON.stringify(done.body));
      assert.equal((await fileIn(from, 'ours')).status, 200);
      for (const path of ['old', 'theirs']) assert.equal((await fileIn(from, path)).status, 404);
    });

    it('in files whose names are not UTF-8 are left to git, because a resolution would create another file', async () => {
      const { git } = scene;
      const write = (text: string) =>
        writeFileSync(Buffer.concat([Buffer.from(`${git.folder}/caf`), Buffer.from([0xe9])]), text);
      const commitLatin = async (branch: string, from: string, text: string) => {
        await git.git('checkout', '-q', '-B', branch, from);
        write(text);
        await git.commit({}, `Write ${text}`);
      };
      await commitLatin('latin-target', 'main', 'x\n');
      await commitLatin('latin-source', 'latin-target', 's\n');
      await commitLatin('latin-target', 'latin-target', 't\n');
      await git.git('checkout', '-q', 'main');
      await scene.push(scene.owner, 'latin-source', 'latin-target');
      const { iid } = await scene.open(scene.developer, 'latin-source', { target_branch: 'latin-target' });
      await settle();
      const { source_sha, target_sha, files } = (await conflicts(iid)).body;
      assert.deepEqual(
        files.map(({ path, sections }: Record<string, unknown>) => [path, sections]),
        [['café', null]],
      );
      for (const way of [{ take: 'source' }, { content: 'both\n' }]) {
        const { status, body } = await resolve(iid, { source_sha, target_sha, files: [{ path: 'café', ...way }] });
        assert.deepEqual([status, body], [400, { message: 'café cannot be resolved here' }]);
      }
    });

    it('in a fork can be resolved by its owner', async () => {
      const { server, outsider, project, git } = scene;
      await server.must(`PUT /projects/${project.id}`, { json: { visibility: 'public' } });
      const fork = await server.must(`POST /projects/${project.id}/fork`, { token: outsider.token });
      await settle();
      await commit('forked', 'main', { 'README.md': 'theirs\n' });
      const { username } = outsider.user;
      await git.git(
        'push',
        '-q',
        withCredentials(server.url, fork.path_with_namespace, username, outsider.token),
        'forked',
      );
      await commit('ahead', 'main', { 'README.md': 'ours\n' });
      await scene.push(scene.owner, 'ahead');
      const json = { source_branch: 'forked', target_branch: 'ahead', title: 'Afar', target_project_id: project.id };
      const made = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: outsider.token, json });
      assert.equal((await conflicts(made.iid, scene.developer)).status, 403);
      const { source_sha, target_sha } = (await conflicts(made.iid, outsider)).body;
      const files = [{ path: 'README.md', choices: 'source' }];
      const done = await resolve(made.iid, { source_sha, target_sha, files }, outsider);
      assert.equal(done.status, 201, JSON.stringify(done.body));
      const tip = await server.must(`GET /projects/${fork.id}/repository/branches/forked`);
      assert.deepEqual([tip.commit.id, tip.commit.parent_ids], [done.body.commit_id, [source_sha, target_sha]]);
      await settle();
      const { body: request } = await scene.api(outsider, `GET ${scene.base}/${made.iid}`);
      assert.equal(request.has_conflicts, false);
      await server.must(`PUT /projects/${project.id}`, { json: { visibility: 'private' } });
    });

    it('can only be resolved by users who can push to the source of an open merge request', async () => {
      const { iid } = await apart({ f: 'x\n' }, { f: 's\n' }, { f: 't\n' });
      const { source_sha, target_sha } = (await conflicts(iid)).body;
      const json = { source_sha, target_sha, files: [{ path: 'f', take: 'source' }] };
      for (const [person, status] of [
        [null, 401],
        [scene.outsider, 404],
        [scene.reporter, 403],
      ] as const) {
        assert.equal((await conflicts(iid, person)).status, status);
        assert.equal((await resolve(iid, json, person)).status, status);
      }
      await scene.api(scene.developer, `PUT ${scene.base}/${iid}`, { json: { state_event: 'close' } });
      assert.deepEqual((await resolve(iid, json)).body, { message: 'Merge request is not open' });
      assert.equal((await conflicts(iid)).status, 400);
    });

    it('cannot be resolved partially, twice, or for outdated heads', async () => {
      const { iid, from } = await apart({ f: 'x\n', g: 'x\n' }, { f: 's\n', g: 's\n' }, { f: 't\n', g: 't\n' });
      const { source_sha, target_sha } = (await conflicts(iid)).body;
      const g = { path: 'g', take: 'source' };
      const refusals: readonly [files: unknown, message: unknown][] = [
        [[g], 'Missing resolutions for the following files: f'],
        [[g, { path: 'f' }], 'f: give one of take, choices, content'],
        [[g, { path: 'f', take: 'source', content: 'x' }], 'f: give one of take, choices, content'],
        [
          [g, { path: 'f', choices: ['source', 'source'] }],
          'f: give a choice for each of its conflicts, or take a side',
        ],
        [[g, { path: 'f', take: 'source' }, { path: '../h', take: 'source' }], '../h does not conflict'],
        [[g, g, { path: 'f', take: 'source' }], 'A file is resolved more than once'],
      ];
      for (const [files, message] of refusals) {
        const { status, body } = await resolve(iid, { source_sha, target_sha, files });
        assert.deepEqual([status, body], [400, { message }]);
      }
      const { body: wrong } = await resolve(iid, { source_sha, target_sha, files: [{ path: 'f', take: 'both' }] });
      assert.deepEqual(wrong, { error: 'files[0][take] does not have a valid value' });
      assert.equal((await resolve(iid, { source_sha, files: [] })).status, 400);
      const files = ['f', 'g'].map((path) => ({ path, take: 'target' }));
      const stale = await resolve(iid, { source_sha: target_sha, target_sha, files });
      assert.deepEqual(
        [stale.status, stale.body],
        [409, { message: 'The branches have changed since the conflicts were shown.' }],
      );
      assert.equal(
        (await scene.server.must(`GET /projects/${scene.project.id}/repository/branches/${from}`)).commit.id,
        source_sha,
      );
      const both = await Promise.all([1, 2].map(() => resolve(iid, { source_sha, target_sha, files })));
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409]);
    });

    it('of branches without a common ancestor are rejected', async () => {
      const { git } = scene;
      await git.git('checkout', '-q', '--orphan', 'alone');
      await git.commit({ 'README.md': 'alone\n' }, 'Alone');
      await scene.push(scene.owner, 'alone');
      const made = await scene.open(scene.developer, 'alone');
      const { status, body } = await conflicts(made.iid);
      assert.deepEqual([status, body], [400, { message: 'The branches have no commit in common' }]);
    });
  });
});
