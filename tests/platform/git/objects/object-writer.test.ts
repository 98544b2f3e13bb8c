import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { createCommit, createTag } from '../../../../src/platform/git/objects/commit-write.ts';
import { loosePath, newObject } from '../../../../src/platform/git/objects/loose-object.ts';
import { entryHeader } from '../../../../src/platform/git/transport/pack-stream.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const { repo } = work;
const git = createGit({ root: work.folder });
const store = join(repo.path, 'objects');
const who = { name: 'Ann', email: 'ann@example.com', seconds: 1_700_000_000, zone: -90 };
after(() => {
  git.close();
  work.remove();
});

const leftOvers = () => readdirSync(store).filter((name) => name.startsWith('tmp_'));

describe('written objects', () => {
  it('are identical to those of git', async () => {
    const writer = git.writer(repo);
    const contents = [Buffer.alloc(0), Buffer.from('text\n'), randomBytes(300_000), Buffer.alloc(1_000_000, 'a')];
    for (const data of contents) {
      const oid = await writer.add('blob', data);
      assert.equal(oid, work.gitWith({ input: data }, 'hash-object', '--stdin'));
    }
    await writer.flush();
    for (const data of contents) assert.deepEqual(await git.objects(repo).blob(newObject('blob', data).oid), data);
    work.git('fsck', '--strict', '--full');
    assert.deepEqual(leftOvers(), []);
  });

  it('are streamed in constant memory', async () => {
    for (const size of [0, 10, 3_000_000]) {
      const data = randomBytes(size);
      const pieces = Array.from({ length: Math.ceil(size / 70_000) }, (_, i) =>
        data.subarray(i * 70_000, (i + 1) * 70_000),
      );
      const writer = git.writer(repo);
      const written = await writer.addBlobStream(Readable.from(pieces));
      await writer.flush();
      assert.deepEqual(written, { oid: newObject('blob', data).oid, size });
      assert.deepEqual(await git.objects(repo).blob(written.oid, 1 << 30), data);
    }
    assert.deepEqual(leftOvers(), []);
  });

  it('leave nothing behind when the source fails, is too large, or the write is discarded', async () => {
    const writer = git.writer(repo);
    const broken = new Readable({ read() {} });
    broken.push('part');
    setImmediate(() => broken.destroy(new Error('the client left')));
    await assert.rejects(writer.addBlobStream(broken), /the client left/);
    await assert.rejects(writer.addBlobStream(Readable.from([Buffer.alloc(100)]), 99), { name: 'BlobTooLargeError' });
    await writer.add('blob', randomBytes(500_000));
    await writer.addBlobStream(Readable.from(['dropped']));
    assert.equal(leftOvers().length, 2);
    await writer.discard();
    assert.deepEqual(leftOvers(), []);
    assert.equal(await git.objects(repo).blob(newObject('blob', Buffer.from('dropped')).oid), null);
  });

  it('become one pack when there are many', async () => {
    const writer = git.writer(repo);
    const oids = await Promise.all(
      Array.from({ length: 150 }, (_, i) => writer.add('blob', Buffer.from(`many ${i}`.repeat(i)))),
    );
    await writer.flush();
    assert.equal(readdirSync(join(store, 'pack')).filter((name) => name.endsWith('.pack')).length, 1);
    assert.equal((await git.objects(repo).blob(oids[149] ?? ''))?.toString(), 'many 149'.repeat(149));
    work.git('fsck', '--strict', '--full');
  });

  it('that already exist get a new modification time, so that they are not pruned', async () => {
    const data = Buffer.from('written before');
    const writer = git.writer(repo);
    const oid = await writer.add('blob', data);
    await writer.flush();
    utimesSync(loosePath(store, oid), 1, 1);
    const again = git.writer(repo);
    await again.add('blob', data);
    await again.flush();
    assert.ok(statSync(loosePath(store, oid)).mtimeMs > 1_000_000);
  });

  it('can go into a quarantine, where the repository itself does not see them', async () => {
    const objectDirectory = join(store, 'incoming-test');
    mkdirSync(objectDirectory);
    const quarantined = { ...repo, quarantine: { objectDirectory, alternates: store } };
    const writer = git.writer(quarantined);
    const oid = await writer.add('blob', Buffer.from('in quarantine'));
    await writer.flush();
    assert.equal((await git.objects(quarantined).blob(oid))?.toString(), 'in quarantine');
    assert.equal(await git.objects(repo).blob(oid), null);
    git.release(quarantined);
  });
});

describe('written commits and tags', () => {
  it('are identical to those of git and pass its checks', async () => {
    const first = work.commit({ a: '1' });
    const tree = work.git('rev-parse', 'main^{tree}');
    const writer = git.writer(repo);
    const committer = { ...who, name: 'Cärl', zone: 345 };
    const oid = await createCommit(writer, { tree, parents: [first], author: who, committer, message: 'No newline' });
    const tag = await createTag(writer, { name: 'v1', object: oid, tagger: who, message: 'First' });
    await writer.flush();
    const env = {
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.com',
      GIT_AUTHOR_DATE: '1700000000 -0130',
      GIT_COMMITTER_NAME: 'Cärl',
      GIT_COMMITTER_EMAIL: 'ann@example.com',
      GIT_COMMITTER_DATE: '1700000000 +0545',
    };
    const theirs = `tree ${tree}\nparent ${first}\nauthor Ann <ann@example.com> 1700000000 -0130\ncommitter Cärl <ann@example.com> 1700000000 +0545\n\nNo newline`;
    assert.equal(oid, work.gitWith({ input: theirs, env }, 'hash-object', '-t', 'commit', '--stdin'));
    assert.equal(work.git('cat-file', '-t', tag), 'tag');
    assert.equal(work.git('rev-parse', `${tag}^{commit}`), oid);
    work.git('update-ref', 'refs/tags/v1', tag);
    work.git('fsck', '--strict', '--full');
    assert.equal((await git.objects(repo).commit(oid))?.message, 'No newline');
  });

  it("pass git's checks whatever the caller sends", async () => {
    const writer = git.writer(repo);
    const tree = await writer.add('tree', Buffer.alloc(0));
    const odd = ['', ' ', '<>', '\n', 'a\0b', '"Q"', 'x'.repeat(5000), '\ud800'];
    for (const text of odd) {
      const author = { name: text, email: text, seconds: -5.5, zone: 99_999 };
      await createCommit(writer, { tree, parents: [], author, committer: author, message: text });
    }
    await writer.flush();
    work.git('fsck', '--strict', '--full');
    await assert.rejects(
      async () => createCommit(writer, { tree: 'HEAD', parents: [], author: who, committer: who, message: '' }),
      {
        name: 'GitArgumentError',
      },
    );
  });
});

describe('pack entry header', () => {
  for (const [size, bytes] of [
    [0, [0x30]],
    [15, [0x3f]],
    [16, [0xb0, 0x01]],
    [2047, [0xbf, 0x7f]],
    [2048, [0xb0, 0x80, 0x01]],
  ] as const) {
    it(`encodes a blob of ${size} bytes`, () => {
      assert.deepEqual([...entryHeader({ type: 'blob', data: Buffer.alloc(size) })], bytes);
    });
  }

  it('does not affect object ids', () => {
    const expected = createHash('sha1').update('blob 3\0abc').digest('hex');
    assert.equal(newObject('blob', Buffer.from('abc')).oid, expected);
  });
});
