import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { BatchParser, MAX_CONTENTS, parseBatchHeader } from '../../../../src/platform/git/objects/batch-parser.ts';
import { ObjectCache } from '../../../../src/platform/git/objects/cache.ts';
import { MAX_TEXT } from '../../../../src/platform/git/objects/commit.ts';
import type { ObjectContents, ObjectInfo } from '../../../../src/platform/git/objects/object.ts';
import { Objects, ObjectTooLargeError, SHARED_READ_BYTES } from '../../../../src/platform/git/objects/objects.ts';
import { ObjectReader } from '../../../../src/platform/git/objects/reader.ts';
import { READER_LIMITS, ReaderPool } from '../../../../src/platform/git/objects/reader-pool.ts';
import { EMPTY_TREE } from '../../../../src/platform/git/trees/tree.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const big = randomBytes(SHARED_READ_BYTES + 4321);
let commit = '';
before(() => {
  commit = work.commit({ 'a/b/c.txt': 'deep\n', 'empty.txt': '', 'big.bin': big, 'top.txt': 'top\n' });
  work.git('tag', '-a', 'v1', '-m', 'tagged');
});
after(() => work.remove());

describe('the output of cat-file', () => {
  const headers: [string, ObjectInfo | 'refused'][] = [
    [`${'a'.repeat(40)} blob 12`, { status: 'found', oid: 'a'.repeat(40), type: 'blob', size: 12 }],
    ['nothing missing', { status: 'missing' }],
    ['aaaa blob 12 missing', { status: 'missing' }],
    ['abcd ambiguous', { status: 'ambiguous' }],
    ['abcd submodule', { status: 'missing' }],
    ['abcd blob', 'refused'],
    ['abcd blob x', 'refused'],
    ['abcd thing 12', 'refused'],
    ['', 'refused'],
  ];
  for (const [line, expected] of headers) {
    it(`reads ${JSON.stringify(line)}`, () => {
      if (expected === 'refused') assert.throws(() => parseBatchHeader(line));
      else assert.deepEqual(parseBatchHeader(line), expected);
    });
  }

  it('is split correctly, however it is chunked', () => {
    const oid = 'b'.repeat(40);
    const output = Buffer.from(`${oid} blob 5\na\nb\nc\n${oid} blob 0\n\nx missing\n${oid} tree 3\n\n\n\n\n`);
    for (let step = 1; step <= output.length; step++) {
      const answers: (ObjectContents | ObjectInfo)[] = [];
      const parser = new BatchParser(
        () => true,
        (answer) => answers.push(answer),
      );
      for (let at = 0; at < output.length; at += step) parser.push(output.subarray(at, at + step));
      const data = answers.map((answer) => ('data' in answer ? answer.data.toString() : answer.status));
      assert.deepEqual(data, ['a\nb\nc', '', 'missing', '\n\n\n']);
    }
  });

  it('is skipped for an object too large for memory', () => {
    const answers: (ObjectContents | ObjectInfo)[] = [];
    const parser = new BatchParser(
      () => true,
      (answer) => answers.push(answer),
    );
    parser.push(Buffer.from(`${'c'.repeat(40)} blob ${MAX_CONTENTS + 1}\n`));
    parser.push(Buffer.alloc(MAX_CONTENTS + 1));
    parser.push(Buffer.from('\nx missing\n'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['too-large', 'missing'],
    );
  });

  it('keeps the first part of an oversized commit', () => {
    const answers: (ObjectContents | ObjectInfo)[] = [];
    const parser = new BatchParser(
      () => true,
      (answer) => answers.push(answer),
    );
    for (const size of [MAX_TEXT, MAX_TEXT + 1, MAX_CONTENTS + 1]) {
      parser.push(Buffer.from(`${'c'.repeat(40)} commit ${size}\n`));
      for (let left = size; left > 0; left -= 100_000) parser.push(Buffer.alloc(Math.min(left, 100_000), 'x'));
      parser.push(Buffer.from('\n'));
    }
    const beginnings = answers.map((one) =>
      'data' in one ? one.data : 'beginning' in one ? one.beginning : Buffer.alloc(0),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['found', 'too-large', 'too-large'],
    );
    for (const bytes of beginnings) assert.ok(bytes.equals(Buffer.alloc(MAX_TEXT, 'x')));
  });
});

describe('object reader', () => {
  it('answers many requests in order', async () => {
    const reader = new ObjectReader(work.repo);
    const specs = ['main', 'nothing', 'main:top.txt', 'v1', 'main^{tree}', 'main:empty.txt'];
    const answers = await Promise.all([...specs, ...specs].map((spec) => reader.info(spec)));
    const types = answers.map((answer) => (answer.status === 'found' ? answer.type : answer.status));
    const expected = ['commit', 'missing', 'blob', 'tag', 'tree', 'blob'];
    assert.deepEqual(types, [...expected, ...expected]);
    const [info, contents] = await Promise.all([reader.info('main:top.txt'), reader.contents('main:top.txt')]);
    assert.ok(contents.status === 'found' && info.status === 'found');
    assert.deepEqual([contents.data.toString(), contents.size, contents.oid], ['top\n', 4, info.oid]);
    reader.close();
  });

  it('rejects input that would form a second command', async () => {
    const reader = new ObjectReader(work.repo);
    for (const spec of ['main\ncontents main', 'a\0b', '']) {
      await assert.rejects(reader.info(spec), { name: 'GitArgumentError' });
    }
    assert.equal((await reader.info('main')).status, 'found');
    reader.close();
  });

  it('restarts a dead process and repeats the pending requests', async () => {
    const reader = new ObjectReader(work.repo);
    await reader.info('main');
    const requests = Array.from({ length: 50 }, () => reader.info('main'));
    // By then the requests have been sent to the process.
    setImmediate(() => reader.replace());
    assert.ok((await Promise.all(requests)).every((answer) => answer.status === 'found'));
    reader.close();
  });

  it('rejects the request for an object that kills the process, and continues with the others', async () => {
    const broken = new WorkTree();
    const reader = new ObjectReader(broken.repo);
    try {
      broken.commit({ a: randomBytes(10_000) });
      assert.equal((await reader.info('main')).status, 'found');
      const results = await Promise.allSettled([reader.contents('main'), reader.info('main'), killing(reader, broken)]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected'],
      );
      assert.equal((await reader.info('main')).status, 'found');
    } finally {
      reader.close();
      broken.remove();
    }
  });

  it('rejects requests for a missing repository', async () => {
    const reader = new ObjectReader({ path: `${work.repo.path}-gone` });
    await assert.rejects(reader.info('main'), { name: 'GitError', code: 128 });
    reader.close();
  });

  it('ends its process and rejects pending requests when closed', async () => {
    const reader = new ObjectReader(work.repo);
    const pending = reader.info('main');
    reader.close();
    await assert.rejects(pending, { name: 'GitError' });
    await assert.rejects(reader.info('main'), { name: 'GitError' });
  });
});

/** Requests an object whose file is truncated behind its header, which makes git exit. */
async function killing(reader: ObjectReader, broken: WorkTree): Promise<ObjectContents> {
  const oid = broken.git('rev-parse', 'main:a');
  const file = join(broken.repo.path, 'objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(file, 0o644);
  truncateSync(file, 2000);
  return reader.contents(oid);
}

describe('objects', () => {
  const pool = new ReaderPool();
  const objects = new Objects(work.repo, pool, new ObjectCache(1 << 24), 's');
  after(() => pool.close());

  it('are found by name and by id', async () => {
    assert.equal(await objects.commitId('refs/heads/main'), commit);
    assert.equal(await objects.commitId('refs/tags/v1'), commit);
    assert.equal(await objects.commitId('refs/heads/none'), null);
    assert.equal(await objects.commitId('main:top.txt'), null);
    const found = await objects.commit(commit);
    assert.equal(found?.message, 'change\n');
    assert.equal(await objects.commit(found?.tree ?? ''), null);
    assert.equal(await objects.commit('1'.repeat(40)), null);
    assert.equal(await objects.commit('main'), null);
    const tag = await objects.tag(work.git('rev-parse', 'v1'));
    assert.deepEqual([tag?.object, tag?.message], [commit, 'tagged\n']);
    assert.deepEqual((await objects.tree(EMPTY_TREE))?.entries, []);
  });

  it('are found by path below a tree', async () => {
    const tree = (await objects.commit(commit))?.tree ?? '';
    for (const round of [1, 2]) {
      const entry = await objects.entryAt(tree, 'a/b/c.txt');
      assert.equal(entry?.oid, work.git('rev-parse', 'main:a/b/c.txt'), `round ${round}`);
      assert.equal((await objects.entryAt(tree, 'a/b'))?.mode, '040000');
      for (const path of ['a/b/none', 'top.txt/x', 'none/x']) assert.equal(await objects.entryAt(tree, path), null);
    }
  });

  it('return blobs of any size, streaming large ones', async () => {
    const oids = ['empty.txt', 'top.txt', 'big.bin'].map((path) => work.git('rev-parse', `main:${path}`));
    const [empty = '', top = '', large = ''] = oids;
    assert.deepEqual(await objects.blob(empty), Buffer.alloc(0));
    assert.deepEqual(await objects.blob(top), Buffer.from('top\n'));
    assert.equal(await objects.blob(commit), null);
    await assert.rejects(objects.blob(large), ObjectTooLargeError);
    assert.deepEqual(await objects.blob(large, 1 << 30), big);
    const stream = await objects.blobStream(large);
    assert.equal(stream?.size, big.length);
    assert.deepEqual(stream && (await buffer(stream.stream)), big);
    const short = await objects.blobStream(top);
    assert.deepEqual(short && (await buffer(short.stream)), Buffer.from('top\n'));
    assert.equal(await objects.blobStream('1'.repeat(40)), null);
  });

  it('can stop streaming early', async () => {
    const stream = await objects.blobStream(work.git('rev-parse', 'main:big.bin'));
    assert.ok(stream);
    for await (const _chunk of stream.stream) break;
    assert.equal(stream.stream.destroyed, true);
  });

  it('written after the reader started are found, loose and packed', async () => {
    const oid = work.gitWith({ input: 'fresh' }, 'hash-object', '-w', '--stdin');
    assert.deepEqual(await objects.blob(oid), Buffer.from('fresh'));
    const next = work.commit({ late: 'late' }, 'late');
    work.git('repack', '-a', '-d', '-q');
    assert.equal((await objects.commit(next))?.message, 'late\n');
    assert.deepEqual(await objects.blob(work.git('rev-parse', 'main:late')), Buffer.from('late'));
  });

  it('of one repository are not visible in another', async () => {
    const other = new WorkTree();
    try {
      const cache = new ObjectCache(1 << 24);
      const here = new Objects(work.repo, pool, cache, 'here');
      const there = new Objects(other.repo, pool, cache, 'there');
      assert.ok(await here.commit(commit));
      assert.equal(await there.commit(commit), null);
    } finally {
      pool.invalidate(other.repo);
      other.remove();
    }
  });

  it('derive a result once', async () => {
    let calls = 0;
    const work = async () => ++calls;
    assert.deepEqual(
      [await objects.derived('k', 'x', () => 8, work), await objects.derived('k', 'x', () => 8, work)],
      [1, 1],
    );
  });
});

describe('reader pool', () => {
  it('evicts the least recently used reader beyond its limit', async () => {
    const pool = new ReaderPool({ ...READER_LIMITS, total: 2 });
    const works = [new WorkTree(), new WorkTree(), new WorkTree()];
    try {
      for (const { repo } of works) assert.equal((await pool.info(repo, 'HEAD')).status, 'missing');
      assert.deepEqual([pool.counters.processes, pool.counters.started, pool.counters.evicted], [2, 3, 1]);
      // The evicted reader is started again on demand.
      assert.equal((await pool.info(works[0]?.repo ?? work.repo, 'HEAD')).status, 'missing');
      assert.equal(pool.counters.processes, 2);
    } finally {
      pool.close();
      for (const item of works) item.remove();
    }
  });

  it('starts a second reader only when many requests are queued', async () => {
    const pool = new ReaderPool();
    await pool.info(work.repo, 'main');
    await pool.info(work.repo, 'main');
    assert.equal(pool.counters.processes, 1);
    await Promise.all(Array.from({ length: 100 }, () => pool.info(work.repo, 'main')));
    assert.equal(pool.counters.processes, 2);
    pool.close();
    assert.equal(pool.counters.processes, 0);
  });

  it('ends idle readers, and answers pending requests of a retired one', async () => {
    const pool = new ReaderPool({ ...READER_LIMITS, idleMs: 10 });
    const pending = pool.info(work.repo, 'main');
    pool.invalidate(work.repo);
    assert.equal((await pending).status, 'found');
    await pool.info(work.repo, 'main');
    while (pool.counters.processes > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await pool.info(work.repo, 'main')).status, 'found');
    pool.close();
  });
});
