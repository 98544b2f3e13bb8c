import assert from 'node:assert/strict';
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const source = new GitClient();
const inFolder = (name: string) => join(source.folder, name);
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('');

before(async () => {
  await source.init();
  await source.commit(
    {
      'kept.txt': lines(0, 50),
      'moved.txt': lines(0, 30),
      'gone.txt': 'gone\n',
      'crlf.txt': 'a\r\nb\r\n',
      'bom.txt': '\ufeffbom\n',
      empty: '',
      'binary.bin': Buffer.from([0, 1, 2, 3, 255]),
      'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
      [`${'deep/'.repeat(40)}file`]: 'deep\n',
      'run.sh': '#!/bin/sh\n',
    },
    'base',
  );
  await source.git('branch', 'base');
  await source.git('checkout', '-q', '-b', 'feature');
  renameSync(inFolder('moved.txt'), inFolder('renamed.txt'));
  rmSync(inFolder('gone.txt'));
  symlinkSync('kept.txt', inFolder('link'));
  chmodSync(inFolder('run.sh'), 0o755);
  writeFileSync(Buffer.concat([Buffer.from(`${source.folder}/b`), Buffer.from([0xff, 0xfe])]), 'odd name\n');
  await source.commit(
    {
      'kept.txt': lines(0, 20) + lines(25, 55),
      'crlf.txt': 'a\r\nc\r\n',
      'bom.txt': '\ufeffbom2\n',
      'binary.bin': Buffer.from([0, 9, 9]),
      'latin1.txt': Buffer.from('caf\xe8\n', 'latin1'),
      'new.txt': 'new\n',
      'empty-new': '',
      'no-newline.txt': 'no newline',
      'package-lock.json': '{}\n',
    },
    'many changes\n\nChangelog: added',
  );
  await source.git('update-index', '--add', '--cacheinfo', `160000,${await source.git('rev-parse', 'base')},module`);
  await source.git('commit', '-q', '-m', 'a submodule');
  await source.git('checkout', '-q', '-f', 'main');
  await source.commit({ 'main.txt': 'main\n' }, 'on main');
  await source.git('checkout', '-q', '-b', 'second', 'base');
  await source.commit({ 'second.txt': 'second\n' }, 'second');
  await source.git('checkout', '-q', '-b', 'octopus', 'main');
  await source.git('merge', '-q', '-m', 'octopus', 'feature', 'second');
  await source.git('checkout', '-q', '--orphan', 'unrelated');
  await source.commit({ 'other.txt': 'other\n' }, 'unrelated');
  await source.git('checkout', '-q', '-f', 'main');
  await source.git('tag', '-a', '-m', 'x', 'v1', 'base');
});

/** Splits the output of `git diff` by file, each part starting at its first `@@` or `Binary files` line. */
function patches(printed: string): string[] {
  return printed
    .split(/^diff --git .*\n/m)
    .slice(1)
    .map((file) =>
      file.slice(Math.max(file.search(/^(@@ |Binary files )/m), 0)).replace(/^(?!@@ |Binary)[\s\S]*$/, ''),
    );
}

forEachEngine((engine) => {
  describe('comparison', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let project: Project;
    let path: string;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      project = await addFilledProject(server, owner, 'compare', source);
      await addMember(server, project, reporter, Role.reporter);
      path = `/projects/${project.id}/repository`;
    });

    const asOwner = (call: string, sending: object = {}) => server.api(call, { token: owner.token, ...sending });
    const compare = async (from: string, to: string, more = '') => {
      const query = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}${more}`;
      const answer = await asOwner(`GET ${path}/compare?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const printed = async (...args: string[]) => (await source.git(...args)).split('\n').filter(Boolean);
    type Shown = { diff: string; new_path: string; old_path: string };

    it('shows the same commits and files as git', async () => {
      for (const [from, to] of [
        ['main', 'feature'],
        ['base', 'octopus'],
        ['second', 'octopus'],
        ['v1', 'feature'],
        ['main', 'unrelated'],
      ] as const) {
        const shown = await compare(from, to);
        const ids = await printed('log', '--reverse', '--format=%H', `${from}..${to}`);
        assert.deepEqual(
          shown.commits.map((one: { id: string }) => one.id),
          ids,
        );
        assert.equal(shown.commit.id, ids.at(-1));
        const base = (await source.run('merge-base', from, to)).stdout.trim();
        const start = base || '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
        const names = await printed('-c', 'core.quotePath=false', 'diff', '-M', '--name-only', '-z', start, to);
        assert.equal(shown.diffs.length, (names[0] ?? '').split('\0').filter(Boolean).length);
        const text = await source.run('diff', '-M', '--no-color', '--submodule=short', start, to);
        for (const [i, patch] of patches(text.stdout).entries()) {
          if (patch.includes('\ufffd')) continue;
          assert.equal(shown.diffs[i].diff, shown.diffs[i].collapsed ? '' : patch, shown.diffs[i].new_path);
        }
        const commit = await source.git('rev-parse', `${to}^{commit}`);
        const left = base || (await source.git('rev-parse', from));
        assert.equal(shown.web_url, `${server.url}/${owner.user.username}/compare/-/compare/${left}...${commit}`);
        assert.deepEqual([shown.compare_timeout, shown.compare_same_ref], [false, false]);
      }
    });

    it('describes the change of each file', async () => {
      const { diffs } = await compare('main', 'feature');
      const file = (name: string) => diffs.find((one: Shown) => one.new_path === name);
      assert.deepEqual(Object.keys(diffs[0]), [
        'diff',
        'collapsed',
        'too_large',
        'new_path',
        'old_path',
        'a_mode',
        'b_mode',
        'new_file',
        'renamed_file',
        'deleted_file',
        'generated_file',
      ]);
      const moved = file('renamed.txt');
      assert.deepEqual([moved.old_path, moved.renamed_file, moved.diff], ['moved.txt', true, '']);
      assert.deepEqual([file('run.sh').a_mode, file('run.sh').b_mode], ['100644', '100755']);
      assert.deepEqual([file('link').a_mode, file('link').b_mode, file('link').new_file], ['0', '120000', true]);
      assert.deepEqual([file('gone.txt').b_mode, file('gone.txt').deleted_file], ['0', true]);
      assert.equal(file('module').b_mode, '160000');
      assert.equal(file('binary.bin').diff, 'Binary files a/binary.bin and b/binary.bin differ\n');
      assert.equal(file('crlf.txt').diff, '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n');
      assert.equal(file('latin1.txt').diff, '@@ -1 +1 @@\n-caf\xe9\n+caf\xe8\n');
      assert.equal(file('b\xff\xfe').new_file, true);
      assert.match(file('no-newline.txt').diff, /\\ No newline at end of file\n$/);
      assert.deepEqual([file('package-lock.json').generated_file, file('package-lock.json').collapsed], [true, true]);
      assert.equal(file('empty-new').diff, '');
    });

    it('compares both commits directly with straight', async () => {
      const shown = await compare('main', 'feature', '&straight=true');
      const names = await printed('diff', '-M', '--name-only', '-z', 'main', 'feature');
      assert.equal(shown.diffs.length, (names[0] ?? '').split('\0').filter(Boolean).length);
      assert.equal(shown.commits.length, 2);
      assert.match(shown.web_url, /\/-\/compare\/[0-9a-f]{40}\.\.[0-9a-f]{40}$/);
    });

    it('includes file headers with unidiff', async () => {
      const { diffs } = await compare('main', 'feature', '&unidiff=true');
      const file = (name: string) => diffs.find((one: Shown) => one.new_path === name);
      assert.match(file('new.txt').diff, /^--- \/dev\/null\n\+\+\+ b\/new\.txt\n@@ /);
      assert.match(file('gone.txt').diff, /^--- a\/gone\.txt\n\+\+\+ \/dev\/null\n@@ /);
      assert.equal(file('renamed.txt').diff, '');
    });

    it('is empty for identical commits and for an ancestor', async () => {
      const same = await compare('base', 'v1');
      assert.deepEqual([same.commit, same.commits, same.diffs, same.compare_same_ref], [null, [], [], true]);
      const older = await compare('feature', 'base');
      assert.deepEqual([older.commits, older.diffs, older.compare_same_ref], [[], [], false]);
    });

    it('answers 404 for unknown refs', async () => {
      for (const query of [
        'from=none&to=main',
        'from=main&to=none',
        'from=--all&to=main',
        'from=main&to=:/x',
        'from=&to=main',
      ]) {
        const answer = await asOwner(`GET ${path}/compare?${query}`);
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Ref Not Found' }], query);
      }
      const none = await asOwner(`GET ${path}/compare`);
      assert.deepEqual(none.body, { error: 'from is missing, to is missing' });
      assert.equal((await server.api(`GET ${path}/compare?from=a&to=b`, { token: null })).status, 404);
    });

    it('can start from a project of the same fork network only', async () => {
      const stranger = await addProject(server, owner, 'stranger');
      const call = `GET ${path}/compare?from=main&to=feature&from_project_id=`;
      const refused = await asOwner(call + stranger.id);
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: `Target project id:${stranger.id} is not a fork of project id:${project.id}` }],
      );
      const other = new GitClient();
      await other.git('clone', '-q', source.folder, '.');
      await other.commit({ 'fork.txt': 'fork\n' }, 'in the fork');
      const fork = await addFilledProject(server, owner, 'fork', other);
      await server.db.write((trx) =>
        trx
          .updateTable('projects')
          .set({ forked_from_id: project.id, fork_root_id: project.id })
          .where('id', '=', fork.id)
          .execute(),
      );
      const into = await asOwner(
        `GET /projects/${fork.id}/repository/compare?from=feature&to=main&from_project_id=${project.id}`,
      );
      assert.equal(into.status, 200, into.text);
      assert.deepEqual(
        into.body.commits.map((one: { title: string }) => one.title),
        ['on main', 'in the fork'],
      );
      assert.deepEqual(
        into.body.diffs.map((one: Shown) => one.new_path),
        ['fork.txt', 'main.txt'],
      );
      const hidden = await server.api(call + fork.id, { token: reporter.token });
      assert.equal(hidden.status, 400);
      const guest = await addPerson(server, 'guest');
      await addMember(server, fork, guest, Role.guest);
      await addMember(server, project, guest, Role.reporter);
      const unread = await server.api(call + fork.id, { token: guest.token });
      assert.deepEqual(unread.body, { message: "403 Forbidden - You don't have access to this fork's parent project" });
    });

    it('is truncated at the diff limits', async () => {
      const many = new GitClient();
      await many.init();
      await many.commit({ 'a.txt': 'a' }, 'a');
      await many.git('checkout', '-q', '-b', 'big');
      const files = Object.fromEntries(Array.from({ length: 1005 }, (_, i) => [`f/${i}.txt`, `${i}\n`]));
      await many.commit({ ...files, 'd/large.txt': 'x'.repeat(300_000), 'd/middle.txt': 'y'.repeat(30_000) }, 'many');
      const big = await addFilledProject(server, owner, 'big', many);
      const { body } = await asOwner(`GET /projects/${big.id}/repository/compare?from=main&to=big`);
      assert.equal(body.compare_timeout, true);
      assert.equal(body.diffs.length, 1000);
      const [large, middle] = body.diffs;
      assert.deepEqual([large.too_large, large.diff], [true, '']);
      assert.deepEqual([middle.collapsed, middle.diff], [true, '']);
      assert.deepEqual([body.diffs[50].collapsed, body.diffs[150].collapsed], [false, true]);
      const set = (json: object) => server.must('PUT /application/settings', { json });
      await set({ diff_max_files: 100, diff_max_patch_bytes: 400_000 });
      const other = (await asOwner(`GET /projects/${big.id}/repository/compare?from=main&to=big`)).body;
      assert.deepEqual([other.diffs.length, other.compare_timeout, other.diffs[0].too_large], [100, true, false]);
      const commit = (await asOwner(`GET /projects/${big.id}/repository/commits/big/diff?per_page=100`)).body;
      assert.deepEqual([commit.length, commit[0].too_large, commit[0].diff.length > 300_000], [100, false, true]);
      await set({ diff_max_files: 1000, diff_max_patch_bytes: 204_800 });
      assert.deepEqual((await asOwner(`GET /projects/${big.id}/repository/compare?from=main&to=big`)).body, body);
    });

    it('is cached by commit', async () => {
      const started = () => server.running.services.git.counters().processes.work.started;
      await server.undisturbed(async () => {
        await compare('base', 'feature');
        const before = started();
        await compare('base', 'feature', '&unidiff=true');
        assert.equal(started(), before);
      });
    });

    it('returns the merge base', async () => {
      const ask = (refs: string) => asOwner(`GET ${path}/merge_base?${refs}`);
      const two = await ask('refs[]=main&refs[]=feature');
      assert.equal(two.body.id, await source.git('merge-base', 'main', 'feature'));
      assert.deepEqual(two.body.trailers, {});
      const three = await ask('refs=main,feature,second');
      assert.equal(three.body.id, await source.git('merge-base', '--octopus', 'main', 'feature', 'second'));
      const one = await ask('refs[]=main');
      assert.deepEqual([one.status, one.body], [400, { message: 'Provide at least 2 refs' }]);
      assert.deepEqual((await ask('refs[]=main&refs[]=x')).body, { message: 'Could not find ref: x' });
      assert.deepEqual((await ask('refs[]=y&refs[]=x')).body, { message: 'Could not find refs: y, x' });
      const apart = await ask('refs[]=main&refs[]=unrelated');
      assert.deepEqual([apart.status, apart.body], [404, { message: '404 Merge Base Not Found' }]);
      assert.deepEqual((await ask('')).body, { error: 'refs is missing' });
    });
  });
});
