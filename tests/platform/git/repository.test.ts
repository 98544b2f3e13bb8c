import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { spawnGit } from '../../../src/platform/git/process/command.ts';
import {
  createRepository,
  deleteRepository,
  readHead,
  repositoryExists,
  repositoryPath,
  setHead,
} from '../../../src/platform/git/repository.ts';
import { removeStaleLocks, sweepRepositories } from '../../../src/platform/git/upkeep/sweep.ts';
import { stockGit } from './work-tree.ts';

const root = await mkdtemp(join(tmpdir(), 'hearth-repositories-'));
after(() => rm(root, { recursive: true, force: true }));

describe('repository', () => {
  it('has a hashed path', () => {
    assert.equal(
      repositoryPath('/data', 1),
      '/data/6b/86/6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b.git',
    );
  });

  it('is created empty, bare and valid', async () => {
    const repo = await createRepository(repositoryPath(root, 1), { defaultBranch: 'trunk' });
    assert.equal(await readHead(repo), 'refs/heads/trunk');
    assert.equal(stockGit(repo, ['rev-parse', '--is-bare-repository']), 'true');
    stockGit(repo, ['fsck', '--strict']);
    assert.deepEqual(readdirSync(dirname(repo.path)).length, 1);
  });

  it('is not created twice, and the first one is kept', async () => {
    const path = repositoryPath(root, 2);
    const repo = await createRepository(path, { defaultBranch: 'main' });
    stockGit(repo, ['hash-object', '-w', '--stdin'], 'kept');
    await assert.rejects(createRepository(path, { defaultBranch: 'other' }), { code: /EEXIST|ENOTEMPTY/ });
    assert.equal(await readHead(repo), 'refs/heads/main');
    assert.equal(readdirSync(dirname(path)).length, 1);
  });

  it('has a HEAD that can point only to branches', async () => {
    const repo = await createRepository(repositoryPath(root, 3), { defaultBranch: 'main' });
    await setHead(repo, 'feature/x');
    assert.equal(await readHead(repo), 'refs/heads/feature/x');
    assert.equal(stockGit(repo, ['symbolic-ref', 'HEAD']), 'refs/heads/feature/x');
    for (const name of ['', '../x', 'a\nb', 'x.lock', 'a..b']) {
      await assert.rejects(setHead(repo, name), { name: 'GitArgumentError' });
    }
    assert.equal(await readHead(repo), 'refs/heads/feature/x');
  });

  it('has a HEAD that can be changed concurrently and despite a stale lock', async () => {
    const repo = await createRepository(repositoryPath(root, 8), { defaultBranch: 'main' });
    writeFileSync(join(repo.path, 'HEAD.lock'), '');
    const names = Array.from({ length: 20 }, (_, n) => `b${n}`);
    await Promise.all(names.map((name) => setHead(repo, name)));
    assert.ok(names.includes(`${(await readHead(repo))?.slice('refs/heads/'.length)}`));
    assert.deepEqual(
      readdirSync(repo.path).filter((name) => name.startsWith('HEAD')),
      ['HEAD', 'HEAD.lock'],
    );
  });

  it('is deleted completely, and deleting a missing one is no error', async () => {
    const repo = await createRepository(repositoryPath(root, 4), { defaultBranch: 'main' });
    assert.equal(await repositoryExists(repo), true);
    await deleteRepository(repo);
    await deleteRepository(repo);
    assert.equal(await repositoryExists(repo), false);
    assert.deepEqual(readdirSync(dirname(repo.path)), []);
  });
});

describe('cleaning up after a crash', () => {
  it('removes old locks and keeps recent ones', async () => {
    const repo = await createRepository(repositoryPath(root, 5), { defaultBranch: 'main' });
    const old = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/a/b.lock'];
    mkdirSync(join(repo.path, 'refs/heads/a'), { recursive: true });
    for (const name of [...old, 'refs/heads/fresh.lock']) writeFileSync(join(repo.path, name), '');
    for (const name of old) utimesSync(join(repo.path, name), 1, 1);
    assert.equal(await removeStaleLocks(repo, 3_600_000), old.length);
    for (const name of old) assert.equal(existsSync(join(repo.path, name)), false, name);
    assert.equal(existsSync(join(repo.path, 'refs/heads/fresh.lock')), true);
    assert.equal(existsSync(join(repo.path, 'HEAD')), true);
  });

  it('keeps a lock as long as a process may own it, however old it is', async () => {
    const repo = await createRepository(repositoryPath(root, 7), { defaultBranch: 'main' });
    const oid = stockGit(repo, ['mktree'], '');
    const git = await spawnGit(repo, { name: 'update-ref', flags: ['--stdin'] });
    const ended = git.done.catch(() => undefined);
    git.stdin.write(`start\ncreate refs/tags/held ${oid}\nprepare\n`);
    let output = '';
    for await (const chunk of git.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk;
      if (output.includes('prepare: ok')) break;
    }
    git.stdout.resume();
    const lock = join(repo.path, 'refs/tags/held.lock');
    assert.equal(await removeStaleLocks(repo, 0), 0);
    assert.equal(existsSync(lock), true);
    // A lock older than the process cannot be its own.
    writeFileSync(join(repo.path, 'packed-refs.lock'), '');
    utimesSync(join(repo.path, 'packed-refs.lock'), 1, 1);
    assert.equal(await removeStaleLocks(repo), 1);
    git.kill();
    await ended;
    assert.equal(existsSync(lock), true, 'a killed process leaves its lock behind');
    assert.equal(await removeStaleLocks(repo, 0), 1);
    assert.equal(existsSync(lock), false);
  });

  it('removes half-created and half-deleted repositories', async () => {
    const path = repositoryPath(root, 6);
    await createRepository(path, { defaultBranch: 'main' });
    const left = ['new', 'fork', 'deleted'].map((kind) => `${path}+${kind}-${crypto.randomUUID()}`);
    for (const folder of left) {
      mkdirSync(folder);
      utimesSync(folder, 1, 1);
    }
    assert.equal(await sweepRepositories(root, 3_600_000), 3);
    assert.deepEqual(readdirSync(dirname(path)), [path.slice(dirname(path).length + 1)]);
  });
});
