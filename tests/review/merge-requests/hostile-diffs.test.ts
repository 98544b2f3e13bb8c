import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Answer } from '../../support/server.ts';

interface ShownDiff {
  diff: string;
  old_path: string;
  new_path: string;
  a_mode: string;
  b_mode: string;
  too_large: boolean;
  collapsed: boolean;
  new_file: boolean;
  renamed_file: boolean;
  deleted_file: boolean;
}

// The results come from git and do not depend on the database.
describe('unusual merge request diffs', () => {
  let scene: ReviewScene;

  const inTree = (name: string) => join(scene.git.folder, name);
  const get = (path: string): Promise<Answer> => scene.api(scene.developer, `GET ${scene.base}/${path}`);
  /** Commits the changes that `change` makes to the work tree on a new branch, and creates a merge request. */
  const opened = async (name: string, change: () => void | Promise<void>) => {
    const { git } = scene;
    await git.git('checkout', '-q', '-f', '-B', name, 'main');
    await change();
    await git.commit({}, `Change of ${name}`);
    await scene.push(scene.owner, `+${name}`);
    const { iid } = await scene.open(scene.developer, name);
    return iid as number;
  };
  const diffsOf = async (iid: number): Promise<ShownDiff[]> => {
    const { status, body } = await get(`${iid}/diffs`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const statusOf = async (iid: number) => (await get(`${iid}`)).body.detailed_merge_status;

  before(async () => {
    scene = await reviewScene('sqlite');
    const { git } = scene;
    await git.commit({
      'long.txt': Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(''),
      'run.sh': 'echo\n',
      'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
    });
    symlinkSync('long.txt', inTree('link'));
    const sha = await git.git('rev-parse', 'HEAD');
    await git.git('update-index', '--add', '--cacheinfo', `160000,${sha},module`);
    mkdirSync(inTree('module'));
    await git.git('commit', '-q', '-m', 'A module');
    await git.commit({}, 'A link');
    await scene.push(scene.owner, 'main');
  });

  it('of 100,000 files are truncated and marked so', async () => {
    const files = Array.from({ length: 100_000 }, (_, n) => `M 100644 :1 many/${n % 100}/${n}.txt`);
    const input = [
      'blob\nmark :1\ndata 2\nx\n',
      'commit refs/heads/many\ncommitter A <a@example.com> 1700000000 +0000\ndata 4\nmany\nfrom refs/heads/main^0',
      ...files,
      '',
    ].join('\n');
    const { git } = scene;
    const made = spawnSync('git', ['fast-import', '--quiet', '--force'], { cwd: git.folder, env: git.env, input });
    assert.equal(made.status, 0, made.stderr.toString());
    await scene.push(scene.owner, '+many');
    const { iid, changes_count } = await scene.open(scene.developer, 'many');
    assert.equal(changes_count, '1000+');
    const first = await get(`${iid}/diffs?per_page=100`);
    assert.deepEqual([first.status, first.body.length], [200, 100]);
    const versions = (await get(`${iid}/versions`)).body;
    assert.deepEqual([versions[0].state, versions[0].real_size], ['overflow', '1000+']);
    assert.equal((await get(`${iid}/changes`)).body.overflow, true);
    const { changes, overflow } = (await get(`${iid}/changes?access_raw_diffs=true`)).body;
    assert.deepEqual([changes.length, overflow], [3000, true]);
    const raw = await get(`${iid}/raw_diffs`);
    assert.equal(raw.text.split('\ndiff --git ').length, 100_000);
    assert.equal(await statusOf(iid), 'mergeable');
  });

  it('of a 50 MB file are marked as too large', async () => {
    const iid = await opened('big', () => writeFileSync(inTree('big.txt'), Buffer.alloc(50 * 1024 * 1024, 'a line\n')));
    const [diff] = await diffsOf(iid);
    assert.deepEqual([diff?.new_path, diff?.too_large, diff?.diff], ['big.txt', true, '']);
    assert.equal(await statusOf(iid), 'mergeable');
  });

  it('of a 1 MB file are shown if all changes are requested', async () => {
    const iid = await opened('whole', () => {
      writeFileSync(inTree('whole.txt'), Buffer.alloc(1024 * 1024, 'a line\n'));
      writeFileSync(inTree('other.txt'), 'beside it\n');
    });
    const shown = async (query: string): Promise<[boolean, number]> => {
      const changes: ShownDiff[] = (await get(`${iid}/changes${query}`)).body.changes;
      const whole = changes.find(({ new_path }) => new_path === 'whole.txt');
      return [whole?.too_large ?? false, whole?.diff.split('\n+a line').length ?? 0];
    };
    assert.deepEqual(await shown(''), [true, 1]);
    const lines = Math.floor((1024 * 1024) / 7);
    assert.deepEqual(await shown('?access_raw_diffs=true'), [false, lines + 1]);
  });

  it('of binary files only state that they differ', async () => {
    const iid = await opened('binary', () => writeFileSync(inTree('image.png'), Buffer.from([0x89, 0, 9, 9, 9])));
    const [diff] = await diffsOf(iid);
    assert.match(diff?.diff ?? '', /^Binary files a\/image\.png and b\/image\.png differ/);
  });

  it('of a file mode have no lines', async () => {
    const iid = await opened('mode', () => chmodSync(inTree('run.sh'), 0o755));
    const [diff, ...rest] = await diffsOf(iid);
    assert.deepEqual([diff?.a_mode, diff?.b_mode, diff?.diff, rest.length], ['100644', '100755', '', 0]);
  });

  it('of a renamed file have both paths', async () => {
    const iid = await opened('moved', () => {
      renameSync(inTree('long.txt'), inTree('longer.txt'));
      const lines = Array.from({ length: 40 }, (_, n) => `line ${n === 20 ? 'changed' : n}\n`);
      writeFileSync(inTree('longer.txt'), lines.join(''));
    });
    const [diff, ...rest] = await diffsOf(iid);
    assert.deepEqual(
      [diff?.old_path, diff?.new_path, diff?.renamed_file, rest.length],
      ['long.txt', 'longer.txt', true, 0],
    );
    assert.match(diff?.diff ?? '', /-line 20\n\+line changed/);
  });

  it('of files with unusual names keep the names', async () => {
    const names = ['"quoted".txt', 'two\nlines.txt', 'tab\there.txt', ' blank ', 'ünïcode.txt', '-dash', 'back\\slash'];
    const iid = await opened('names', () => {
      for (const name of names) writeFileSync(inTree(name), 'x\n');
      writeFileSync(Buffer.concat([Buffer.from(`${scene.git.folder}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x\n');
    });
    const diffs = await diffsOf(iid);
    assert.equal(diffs.length, names.length + 1);
    for (const name of names)
      assert.ok(
        diffs.some(({ new_path }) => new_path === name),
        JSON.stringify(name),
      );
    assert.equal((await get(`${iid}/raw_diffs`)).status, 200);
    assert.equal(await statusOf(iid), 'mergeable');
  });

  it('without changes are empty although there are commits', async () => {
    const iid = await opened('nothing', () => {});
    assert.deepEqual(await diffsOf(iid), []);
    const { body } = await get(`${iid}`);
    assert.deepEqual([body.changes_count, body.detailed_merge_status], ['0', 'mergeable']);
    assert.equal((await get(`${iid}/raw_diffs`)).text, '');
    assert.equal((await get(`${iid}/versions`)).body[0].state, 'empty');
  });

  it('of submodules and symbolic links show their targets', async () => {
    const { git } = scene;
    const other = await git.git('rev-parse', 'main~1');
    const iid = await opened('pointers', async () => {
      rmSync(inTree('link'));
      symlinkSync('run.sh', inTree('link'));
      await git.git('update-index', '--cacheinfo', `160000,${other},module`);
      await git.git('add', 'link');
      await git.git('commit', '-q', '-m', 'Point elsewhere');
    });
    const diffs = await diffsOf(iid);
    const link = diffs.find(({ new_path }) => new_path === 'link');
    const module = diffs.find(({ new_path }) => new_path === 'module');
    assert.deepEqual([link?.a_mode, module?.a_mode], ['120000', '160000']);
    assert.match(link?.diff ?? '', /-long\.txt[\s\S]*\+run\.sh/);
    assert.match(module?.diff ?? '', new RegExp(`\\+Subproject commit ${other}`));
  });

  it('follow a rewritten history', async () => {
    const iid = await opened('rewritten', () => writeFileSync(inTree('one.txt'), 'one\n'));
    const before = (await get(`${iid}`)).body.sha;
    const { git } = scene;
    await git.git('reset', '-q', '--hard', 'main');
    const after = await git.commit({ 'two.txt': 'two\n' }, 'Another one');
    await scene.push(scene.owner, '+rewritten');
    await scene.server.running.services.queue.drain();
    const { body } = await get(`${iid}`);
    assert.notEqual(after, before);
    assert.equal(body.sha, after);
    assert.deepEqual(
      (await diffsOf(iid)).map(({ new_path }) => new_path),
      ['two.txt'],
    );
    const versions = (await get(`${iid}/versions`)).body;
    assert.deepEqual(
      versions.map(({ head_commit_sha }: { head_commit_sha: string }) => head_commit_sha),
      [after, before],
    );
    const old = await get(`${iid}/versions/${versions[1].id}`);
    assert.equal(old.body.diffs[0].new_path, 'one.txt');
    await git.git('checkout', '-q', '--orphan', 'unrelated');
    await git.commit({ 'island.txt': 'x\n' }, 'No common history');
    await scene.push(scene.owner, '+unrelated:rewritten');
    await scene.server.running.services.queue.drain();
    assert.equal(await statusOf(iid), 'conflict');
    assert.equal((await get(`${iid}/diffs`)).status, 200);
  });

  it('remain available after the branches are deleted', async () => {
    const iid = await opened('source-gone', () => writeFileSync(inTree('s.txt'), 's\n'));
    await scene.push(scene.owner, ':source-gone');
    await scene.server.running.services.queue.drain();
    const { body } = await get(`${iid}`);
    assert.equal(body.state, 'closed');
    assert.equal((await diffsOf(iid)).length, 1);
    await scene.git.git('checkout', '-q', '-f', '-B', 'aim', 'main');
    await scene.push(scene.owner, 'aim');
    await scene.branch('aimed', 't.txt', 't\n');
    const second = (await scene.open(scene.developer, 'aimed', { target_branch: 'aim' })).iid;
    await scene.push(scene.owner, ':aim');
    await scene.server.running.services.queue.drain();
    assert.equal(await statusOf(second), 'commits_status');
    assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${second}/merge`)).status, 405);
    assert.equal((await diffsOf(second)).length, 1);
  });

  it('require two branches of related projects', async () => {
    const create = (json: Record<string, unknown>) =>
      scene.api(scene.owner, `POST ${scene.base}`, { json: { title: 'x', target_branch: 'main', ...json } });
    const same = await create({ source_branch: 'main' });
    assert.deepEqual(
      [same.status, same.body],
      [422, { message: ["You can't use same project/branch for source and target"] }],
    );
    const foreign = await scene.server.must('POST /projects', {
      token: scene.owner.token,
      json: { name: 'foreign', initialize_with_readme: true },
    });
    const elsewhere = await create({ source_branch: 'many', target_project_id: foreign.id });
    assert.deepEqual(
      [elsewhere.status, elsewhere.body],
      [422, { message: ['Source project is not a fork of the target project'] }],
    );
    assert.equal((await create({ source_branch: 'many', target_project_id: 999_999 })).status, 404);
    const missing = await create({ source_branch: 'never-there' });
    assert.deepEqual([missing.status, missing.body.detailed_merge_status], [201, 'commits_status']);
    assert.equal((await create({ source_branch: 'bad..name' })).status, 400);
  });
});
