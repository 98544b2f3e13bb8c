import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newObject } from '../../../../src/platform/git/objects/loose-object.ts';
import {
  BrokenTreeError,
  EMPTY_TREE,
  entryType,
  formatTree,
  shownMode,
  Tree,
} from '../../../../src/platform/git/trees/tree.ts';
import fc from '../../../support/properties.ts';
import { WorkTree } from '../work-tree.ts';

const OID = 'ab'.repeat(20);
const work = new WorkTree();
after(() => work.remove());

describe('tree object', () => {
  it('has the same bytes and id as in git', () => {
    const tricky = {
      'a/x': '1',
      'a.b': '2',
      'a-b': '3',
      a0: '4',
      ab: '5',
      ä: '6',
      link: { link: 'ab' },
      run: { executable: '#' },
    };
    work.commit(tricky);
    const listed = work.git('ls-tree', '-z', 'main').split('\0').filter(Boolean);
    const entries = listed.map((line) => {
      const [mode = '', , oid = '', name = ''] = line.split(/[ \t]/);
      return { mode, name, oid };
    });
    const bytes = formatTree(entries.toReversed());
    assert.equal(newObject('tree', bytes).oid, work.git('rev-parse', 'main^{tree}'));
    assert.deepEqual(new Tree('x', bytes).entries, entries);
    assert.equal(newObject('tree', formatTree([])).oid, EMPTY_TREE);
  });

  it('preserves names that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('100644 f\xfc\0', 'latin1'), Buffer.from(OID, 'hex')]);
    const tree = new Tree('x', bytes);
    assert.equal(tree.entries[0]?.name, 'fü');
    assert.deepEqual(formatTree(tree.entries), bytes);
  });

  it('survives formatting and parsing with random names', () => {
    const name = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .filter((bytes) => !bytes.includes(0) && !bytes.includes(47));
    fc.assert(
      fc.property(fc.uniqueArray(name, { selector: (bytes) => Buffer.from(bytes).toString('latin1') }), (names) => {
        const parts = names.map((bytes) =>
          Buffer.concat([Buffer.from('100644 '), bytes, Buffer.from([0]), Buffer.from(OID, 'hex')]),
        );
        const parsed = new Tree('x', Buffer.concat(parts));
        assert.deepEqual(new Tree('x', formatTree(parsed.entries)).entries.length, names.length);
        const sorted = formatTree(parsed.entries);
        assert.deepEqual(formatTree(new Tree('x', sorted).entries), sorted);
      }),
    );
  });

  it('finds a name in small and large trees', () => {
    for (const count of [3, 500]) {
      const entries = Array.from({ length: count }, (_, i) => ({ mode: '100644', name: `f${i}`, oid: OID }));
      const tree = new Tree('x', formatTree(entries));
      assert.equal(tree.find(`f${count - 1}`)?.name, `f${count - 1}`);
      assert.equal(tree.find('nothing'), undefined);
      assert.deepEqual([tree.size, tree.at(count - 1), tree.at(count)], [count, tree.entries[count - 1], undefined]);
    }
  });

  it('finds names by their bytes, UTF-8 before Latin-1', () => {
    const line = (name: string, oid = OID) =>
      Buffer.concat([Buffer.from(`100644 ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);
    const utf8 = Buffer.from('é').toString('latin1');
    const both = new Tree('x', Buffer.concat([line('\xe9', '1'.repeat(40)), line(utf8, '2'.repeat(40))]));
    assert.equal(both.find('é')?.oid, '2'.repeat(40));
    assert.equal(new Tree('x', line('\xe9')).find('é')?.oid, OID);
    assert.equal(
      new Tree('x', line(utf8)).find(utf8),
      undefined,
      'the Latin-1 decoding of a UTF-8 name is a different name',
    );
    assert.equal(new Tree('x', line('a')).find('a\0b'), undefined);
    assert.equal(new Tree('x', line('日')).find('日'), undefined, 'truncated to its last byte');
  });

  it('is not misled by an id that looks like an entry', () => {
    const fake = Buffer.concat([Buffer.from('40000 evil\0'), Buffer.alloc(9, 0x41)]).toString('hex');
    const bytes = formatTree([
      { mode: '160000', name: 'module', oid: fake },
      { mode: '100644', name: 'z', oid: OID },
    ]);
    const tree = new Tree('x', bytes);
    assert.equal(tree.find('evil'), undefined);
    assert.deepEqual([tree.find('z')?.oid, tree.typeAt(0), tree.typeAt(1)], [OID, 'commit', 'blob']);
  });

  it('distinguishes folders, files and submodules', () => {
    const modes = ['040000', '100644', '100755', '120000', '160000', '100664', '40755', '100775'];
    const types = modes.map((mode) => entryType({ mode }));
    assert.deepEqual(types, ['tree', 'blob', 'blob', 'blob', 'commit', 'blob', 'tree', 'blob']);
    const shown = ['040000', '100644', '100755', '120000', '160000', '100644', '040000', '100755'];
    assert.deepEqual(
      modes.map((mode) => shownMode({ mode })),
      shown,
    );
  });

  for (const [problem, bytes] of [
    ['a truncated id', Buffer.from('100644 a\0abc')],
    ['no NUL', Buffer.from('100644 a')],
    ['no space', Buffer.from('100644')],
  ] as const) {
    it(`is rejected with ${problem}`, () => assert.throws(() => new Tree('x', bytes), BrokenTreeError));
  }
});
