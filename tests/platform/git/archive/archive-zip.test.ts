import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  centralHeader,
  dataDescriptor,
  endOfArchive,
  localHeader,
  type ZipMember,
} from '../../../../src/platform/git/archive/zip-records.ts';

const member: ZipMember = {
  name: Buffer.from('f'),
  mode: 0o100644,
  mtime: 1_700_000_001,
  method: 'deflate',
  streamed: true,
  large: false,
};
const large = { ...member, large: true };
const GIB = 2 ** 30;

test('sizes beyond four bytes are stored in the ZIP64 extra field', () => {
  const sizes = { crc: 1, compressed: 5 * GIB, uncompressed: 6 * GIB };
  const central = centralHeader(large, sizes, 7 * GIB);
  assert.equal(central.readUInt32LE(20), 0xffffffff);
  assert.equal(central.readUInt32LE(24), 0xffffffff);
  assert.equal(central.readUInt32LE(42), 0xffffffff);
  const extra = central.subarray(46 + 1 + 9);
  assert.deepEqual([extra.readUInt16LE(0), extra.readUInt16LE(2)], [1, 24]);
  assert.deepEqual(
    [4, 12, 20].map((at) => Number(extra.readBigUInt64LE(at))),
    [6 * GIB, 5 * GIB, 7 * GIB],
  );
  assert.equal(dataDescriptor(large, sizes).length, 24);
  assert.equal(dataDescriptor(member, { crc: 1, compressed: 2, uncompressed: 3 }).length, 16);
  assert.equal(localHeader(large, undefined).readUInt16LE(4), 45);
});

test('many entries or a large directory offset get a ZIP64 end record', () => {
  const short = endOfArchive({ entries: 10, size: 1000, offset: 5000, comment: 'abc' });
  assert.equal(short.length, 25);
  for (const directory of [
    { entries: 70_000, size: 1000, offset: 5000, comment: '' },
    { entries: 1, size: 1000, offset: 5 * GIB, comment: '' },
  ]) {
    const end = endOfArchive(directory);
    assert.equal(end.readUInt32LE(0), 0x06064b50);
    assert.equal(Number(end.readBigUInt64LE(32)), directory.entries);
    assert.equal(Number(end.readBigUInt64LE(48)), directory.offset);
    assert.equal(Number(end.readBigUInt64LE(64)), directory.offset + directory.size);
  }
});

test('dates outside the supported range are accepted', () => {
  for (const mtime of [0, -5, 2 ** 40]) assert.ok(localHeader({ ...member, mtime }, undefined).length > 30);
});
