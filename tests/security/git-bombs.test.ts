import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import type { Project } from '../../src/access/tables.ts';
import { changesWithinBudget, isWithinBudget } from '../../src/platform/git/trees/change-budget.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { addFilledProject } from '../support/git-project.ts';
import { addPerson, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('repositories designed to exhaust resources', () => {
  let server: TestServer;
  let owner: Person;
  let project: Project;
  let client: GitClient;

  const plumb = (input: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: client.folder, input, env: client.env }).toString().trim();
  const tree = (...lines: string[]) => plumb(`${lines.join('\n')}\n`, 'mktree');
  const commit = (root: string, parent?: string) =>
    client.git('commit-tree', root, '-m', 'x', ...(parent === undefined ? [] : ['-p', parent]));
  const push = async (id: string, branch: string) => {
    const url = withCredentials(server.url, `${owner.user.username}/bombs`, owner.user.username, owner.token);
    await client.git('push', '-q', url, `${id}:refs/heads/${branch}`);
  };
  const ask = (path: string) => server.api(`GET /projects/${project.id}/repository/${path}`, { token: null });

  let blob: string;
  /** Nested trees with ten entries per level, stored as one object per level. */
  const bomb = (levels: number) => {
    let root = tree(...Array.from({ length: 10 }, (_, n) => `100644 blob ${blob}\tf${n}`));
    for (let level = 1; level < levels; level++) {
      const [below] = [root];
      root = tree(...Array.from({ length: 10 }, (_, n) => `040000 tree ${below}\td${n}`));
    }
    return root;
  };

  before(async () => {
    server = await startTestServer('sqlite');
    owner = await addPerson(server, 'owner');
    client = new GitClient();
    await client.init();
    await client.commit({ 'README.md': '# x\n' });
    project = await addFilledProject(server, owner, 'bombs', client, 'public');
    blob = plumb('x\n', 'hash-object', '-w', '--stdin');
  });

  it('are measured by folder, not by file', async () => {
    const { git } = server.running.services;
    const root = bomb(3);
    await push(await commit(root), 'thousand');
    const objects = git.objects(git.repository(project.id));
    assert.equal(await isWithinBudget(objects, root, 1000), true);
    assert.equal(await isWithinBudget(objects, root, 999), false);
    assert.equal(await changesWithinBudget(objects, undefined, root, 999), false);
    assert.equal(await changesWithinBudget(objects, root, root, 1), true);
    // One of ten folders is replaced: a hundred files are deleted.
    const [first = '', ...rest] = (await client.git('ls-tree', root)).split('\n');
    const other = tree(...rest);
    assert.match(first, /\td0$/);
    await push(await commit(other), 'fewer');
    assert.equal(await changesWithinBudget(objects, root, other, 100), true);
    assert.equal(await changesWithinBudget(objects, root, other, 99), false);
    assert.equal(await changesWithinBudget(objects, other, root, 99), false);
  });

  it('with billions of files in a dozen objects are shown without stats', async () => {
    const root = bomb(10);
    const first = await commit(root);
    await push(first, 'bomb');
    const shown = await ask('commits/bomb');
    assert.deepEqual([shown.status, shown.body.stats], [200, { additions: 0, deletions: 0, total: 0 }]);
    const diff = await ask('commits/bomb/diff');
    assert.deepEqual([diff.status, diff.body], [200, []]);
    const compared = await ask('compare?from=main&to=bomb&straight=true');
    assert.deepEqual([compared.status, compared.body.diffs], [200, []]);
    const listed = await ask('commits?ref_name=bomb&with_stats=true');
    assert.deepEqual([listed.status, listed.body[0].stats.total], [200, 0]);
    assert.equal((await ask('tree?ref=bomb&recursive=true')).status, 200);
    for (const format of ['tar.gz', 'zip']) assert.equal((await ask(`archive.${format}?sha=bomb`)).status, 422);
    assert.equal((await ask('archive.tar?sha=bomb&path=d0/d0/d0')).status, 422);
    // Other changes in the same tree are shown as usual.
    const lines = [...(await client.git('ls-tree', root)).split('\n'), `100644 blob ${blob}\tnew`];
    await push(await commit(tree(...lines), first), 'bomb');
    const beside = await ask('commits/bomb/diff');
    assert.deepEqual(
      beside.body.map((entry: { new_path: string }) => entry.new_path),
      ['new'],
    );
    assert.equal((await ask('commits/bomb')).body.stats.total, 1);
  });

  it('with folders three thousand levels deep are readable', async () => {
    const head = 'commit refs/heads/deep\ncommitter A <a@example.com> 1600000000 +0000\ndata 1\nx\n';
    plumb(`${head}M 100644 inline ${'d/'.repeat(3000)}f\ndata 1\nx\n`, 'fast-import', '--quiet');
    await push('refs/heads/deep', 'deep');
    for (const read of ['commits/deep', 'commits/deep/diff', 'tree?ref=deep&recursive=true', 'archive.tar?sha=deep']) {
      const { status } = await ask(read);
      assert.ok(status === 200 || status === 422, `${read}: ${status}`);
    }
    assert.equal((await ask('commits/main')).status, 200);
  });

  it('with a large folder without early type hints are checked like others', async () => {
    const head = 'commit refs/heads/templates\ncommitter A <a@example.com> 1600000000 +0000\ndata 1\nx\n';
    const files = Array.from({ length: 20_000 }, (_, n) => `M 100644 inline t/t${n}.md\ndata 1\nx\n`);
    plumb(head + files.join(''), 'fast-import', '--quiet');
    await push('refs/heads/templates', 'templates');
    assert.equal((await ask('tree?ref=templates&path=t')).body.length, 20);
  });

  it('with hundreds of thousands of changed lines are shown as too large', async () => {
    const large = plumb('line\n'.repeat(400_000), 'hash-object', '-w', '--stdin');
    await push(await commit(tree(`100644 blob ${large}\tlarge`)), 'long');
    const [entry] = (await ask('commits/long/diff')).body;
    assert.deepEqual([entry.new_path, entry.too_large, entry.diff], ['large', true, '']);
    assert.equal((await ask('commits/long')).body.stats.additions, 400_000);
  });

  it('with huge messages are read up to a limit, and pushes succeed', async () => {
    const message = `Title\n\n${'x'.repeat(40_000_000)}`;
    const [tip] = [await client.git('rev-parse', 'HEAD')];
    const root = await client.git('rev-parse', 'HEAD^{tree}');
    const who = 'A <a@example.com> 1700000000 +0000';
    const write = (type: string, text: string) => plumb(text, 'hash-object', '-w', '-t', type, '--stdin');
    const id = write('commit', `tree ${root}\nparent ${tip}\nauthor ${who}\ncommitter ${who}\n\n${message}`);
    const tag = write('tag', `object ${tip}\ntype commit\ntag huge\ntagger ${who}\n\n${message}`);
    await push(id, 'wordy');
    const url = withCredentials(server.url, `${owner.user.username}/bombs`, owner.user.username, owner.token);
    await client.git('push', '-q', url, `${tag}:refs/tags/huge`);
    for (const path of ['commits/wordy', 'commits?ref_name=wordy', 'branches', 'tags', 'tree?ref=wordy']) {
      const { status, text } = await ask(path);
      assert.equal(status, 200, `${path}: ${text.slice(0, 200)}`);
      assert.ok(text.length < 1_000_000, `${path}: ${text.length}`);
    }
    assert.equal((await ask('commits/wordy')).body.title, 'Title');
    const events = await server.must(`GET /projects/${project.id}/events`, { token: owner.token });
    const told = events.find((event: { push_data?: { ref: string } }) => event.push_data?.ref === 'wordy');
    assert.equal(told?.push_data.commit_title, 'Title');
    assert.ok([200, 404].includes((await ask('commits/wordy/signature')).status));
    // Message rules cannot be bypassed with the part that is not read.
    await server.must(`POST /projects/${project.id}/push_rule`, { json: { commit_message_negative_regex: 'secret' } });
    const hidden = `${message}secret`;
    const evil = write('commit', `tree ${root}\nparent ${tip}\nauthor ${who}\ncommitter ${who}\n\n${hidden}`);
    await assert.rejects(push(evil, 'sly'), /too long to be checked/);
  });

  it('with half a million files in a folder are rejected where the folder would have to be loaded', async () => {
    const entry = (n: number) => `100644 blob ${blob}\tsome-name-that-is-long-enough-${n}`;
    const wide = plumb(Array.from({ length: 540_000 }, (_, n) => `${entry(n)}\n`).join(''), 'mktree');
    await push(await commit(wide), 'wide');
    assert.equal((await ask('tree?ref=wide')).status, 422);
    for (const path of ['branches', 'tree?ref=main']) assert.equal((await ask(path)).status, 200, path);
  });
});
