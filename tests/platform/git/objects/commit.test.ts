import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  commitTitle,
  MAX_TEXT,
  parseCommit,
  splitCommitSignature,
} from '../../../../src/platform/git/objects/commit.ts';
import { formatCommit, formatTag } from '../../../../src/platform/git/objects/commit-write.ts';
import {
  cleanIdentity,
  formatIdentity,
  identityDate,
  identitySecond,
  parseIdentity,
} from '../../../../src/platform/git/objects/identity.ts';
import { parseTag, splitTagSignature } from '../../../../src/platform/git/objects/tag.ts';
import fc from '../../../support/properties.ts';
import { WorkTree } from '../work-tree.ts';

const OID = 'a'.repeat(40);
const TREE = 'b'.repeat(40);
const who = { name: 'Ann', email: 'ann@example.com', seconds: 1_700_000_000, zone: 120 };

const raw = (headers: string, body: string | Buffer) =>
  Buffer.concat([Buffer.from(`${headers}\n\n`, 'latin1'), Buffer.from(body)]);

describe('parsing a commit', () => {
  it('reads all headers', () => {
    const bytes = raw(
      [
        `tree ${TREE}`,
        `parent ${'1'.repeat(40)}`,
        `parent ${'2'.repeat(40)}`,
        `parent ${'3'.repeat(40)}`,
        'author Ann A <ann@example.com> 1700000000 +0530',
        'committer Carl <carl@example.com> 1700000060 -0800',
        `mergetag object ${'4'.repeat(40)}`,
        ' type commit',
        ' ',
        ' parent of nothing',
        'gpgsig -----BEGIN PGP SIGNATURE-----',
        ' ',
        ' iQEz',
        ' -----END PGP SIGNATURE-----',
      ].join('\n'),
      'Title\n\nBody\n',
    );
    const commit = parseCommit(OID, bytes);
    assert.deepEqual(commit.parents.length, 3);
    assert.equal(commit.tree, TREE);
    assert.deepEqual(commit.author, { name: 'Ann A', email: 'ann@example.com', seconds: 1_700_000_000, zone: 330 });
    assert.equal(commit.committer.zone, -480);
    assert.equal(commit.message, 'Title\n\nBody\n');
    assert.equal(commit.signature, '-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----');
  });

  it('decodes text in any encoding', () => {
    const author = (encoding: string) =>
      `tree ${TREE}\nauthor J\xf6rg <j@x> 1 +0000\ncommitter J\xf6rg <j@x> 1 +0000${encoding}`;
    const declared = parseCommit(OID, raw(author('\nencoding ISO-8859-1'), Buffer.from('gr\xfc\xdfe', 'latin1')));
    assert.deepEqual([declared.author.name, declared.message, declared.encoding], ['Jörg', 'grüße', 'ISO-8859-1']);
    const undeclared = parseCommit(OID, raw(author(''), Buffer.from('gr\xfc\xdfe', 'latin1')));
    assert.deepEqual([undeclared.author.name, undeclared.message], ['Jörg', 'grüße']);
    const unknown = parseCommit(OID, raw(author('\nencoding klingon'), Buffer.from('gr\xfc\xdfe', 'latin1')));
    assert.equal(unknown.message, 'grüße');
    const japanese = parseCommit(OID, raw(author('\nencoding Shift_JIS'), Buffer.from([0x93, 0xfa, 0x96, 0x7b])));
    assert.equal(japanese.message, '日本');
  });

  it('accepts arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { message } = parseCommit(OID, Buffer.from(bytes));
        assert.ok(!message.includes('\ufffd') || Buffer.from(bytes).includes(Buffer.from('\ufffd')));
      }),
    );
  });

  for (const [message, title] of [
    ['One line', 'One line'],
    ['Title\n\nBody', 'Title'],
    ['\n\n  Title  \nmore', 'Title'],
    ['', ''],
    ['Title\r\nBody', 'Title'],
  ] as const) {
    it(`returns the title ${JSON.stringify(title)} of ${JSON.stringify(message)}`, () => {
      assert.equal(commitTitle(message), title);
    });
  }

  it('truncates long objects at whole characters and whole headers', () => {
    const head = 'tree t\nparent p\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\n';
    const read = (text: string) => parseCommit('0', Buffer.from(text));
    for (const letter of ['x', 'é', '€', '😀']) {
      const { message, isCut, author } = read(head + letter.repeat(MAX_TEXT));
      assert.equal(isCut, true);
      assert.equal(author.name, 'A');
      assert.ok(message.length > 1000 && message.length <= MAX_TEXT);
      assert.match(message, new RegExp(`^${letter}+\n…$`, 'u'));
    }
    const parents = read(`tree t\n${`parent ${'a'.repeat(40)}\n`.repeat(10_000)}author A <a@example.com> 1 +0000\n\nx`);
    assert.ok(parents.parents.length > 1000);
    assert.ok(parents.parents.every((id) => id.length === 40));
    const short = read(`${head}short`);
    assert.deepEqual([short.message, short.isCut], ['short', undefined]);
  });

  it('separates the signature from the signed bytes', () => {
    const plain = raw(`tree ${TREE}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000`, 'gr\xfc\n\ngpgsig not me');
    const at = plain.indexOf('\n\n');
    const signed = Buffer.concat([plain.subarray(0, at), Buffer.from('\ngpgsig SIG\n  LINE\n '), plain.subarray(at)]);
    assert.deepEqual(splitCommitSignature(signed), { payload: plain, signature: 'SIG\n LINE\n' });
    assert.equal(splitCommitSignature(plain), null);
  });
});

describe('identity', () => {
  const lines: [string, string, string, number, number][] = [
    ['A <a@x> 12 +0200', 'A', 'a@x', 12, 120],
    ['A <a@x> 12 -0030', 'A', 'a@x', 12, -30],
    ['<a@x> 12 +0000', '', 'a@x', 12, 0],
    ['A <> 12 +0000', 'A', '', 12, 0],
    ['A  B   <a@x> 12 +0000', 'A  B', 'a@x', 12, 0],
    ['A <a@x>12 +0000', 'A', 'a@x', 12, 0],
    ['A <a <b@x>> 12 +0000', 'A', 'a <b@x', 12, 0],
    ['A <a@x>> 12 +0000', 'A', 'a@x', 12, 0],
    ['A <a@x>', 'A', 'a@x', 0, 0],
    ['A <a@x> soon', 'A', 'a@x', 0, 0],
    ['A <a@x> 12 +51800', 'A', 'a@x', 12, 0],
    ['no brackets', 'no brackets', '', 0, 0],
  ];
  for (const [line, name, email, seconds, zone] of lines) {
    it(`is parsed from ${line}`, () => assert.deepEqual(parseIdentity(line), { name, email, seconds, zone }));
  }

  it('survives formatting and parsing', () => {
    const part = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
    fc.assert(
      fc.property(part, part, fc.nat(), fc.integer({ min: -840, max: 840 }), (name, email, seconds, zone) => {
        const clean = cleanIdentity({ name, email, seconds, zone });
        assert.deepEqual(parseIdentity(formatIdentity(clean)), clean);
        assert.ok(clean.name.length > 0);
      }),
    );
  });

  it('cannot inject headers into a commit', () => {
    const evil = { ...who, name: 'A\nparent 123 <', email: 'x>\ngpgsig y' };
    const commit = parseCommit(
      OID,
      formatCommit({ tree: TREE, parents: [], author: evil, committer: who, message: 'm' }),
    );
    assert.deepEqual(commit.parents, []);
    assert.equal(commit.signature, undefined);
    assert.deepEqual([commit.author.name, commit.author.email], ['Aparent 123', 'xgpgsigy']);
  });

  const dates: [number, number, string][] = [
    [1_632_117_972, 180, '2021-09-20T09:06:12.000+03:00'],
    [1_632_117_972, 0, '2021-09-20T06:06:12.000+00:00'],
    [1_632_117_972, -210, '2021-09-20T02:36:12.000-03:30'],
    [0, 0, '1970-01-01T00:00:00.000+00:00'],
    [9_999_999_999_999, 0, '1970-01-01T00:00:00.000+00:00'],
  ];
  for (const [seconds, zone, text] of dates) {
    it(`formats the date ${text}`, () => assert.equal(identityDate({ ...who, seconds, zone }), text));
  }
});

describe('annotated tag', () => {
  it('is parsed with its signature separated', () => {
    const head = `object ${OID}\ntype commit\ntag v1\ntagger Ann <ann@example.com> 5 +0100`;
    const signature = '-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n';
    const tag = parseTag(TREE, raw(head, `Version 1\n${signature}`));
    assert.deepEqual([tag.object, tag.type, tag.name, tag.message], [OID, 'commit', 'v1', 'Version 1\n']);
    assert.deepEqual(tag.tagger, { name: 'Ann', email: 'ann@example.com', seconds: 5, zone: 60 });
    assert.equal(tag.signature, signature);
    const split = splitTagSignature(raw(head, `Version 1\n${signature}`));
    assert.deepEqual(split, { payload: raw(head, 'Version 1\n'), signature });
    assert.equal(splitTagSignature(raw(head, 'Version 1\n')), null);
  });

  it('may lack a tagger', () => {
    assert.equal(parseTag(TREE, raw(`object ${OID}\ntype commit\ntag v0`, 'old')).tagger, null);
  });

  it('is rejected with an invalid tag name', () => {
    assert.throws(() => formatTag({ name: 'a\nb', object: OID, tagger: who, message: '' }), {
      name: 'GitArgumentError',
    });
  });
});

describe('compared with git', () => {
  const work = new WorkTree();
  after(() => work.remove());

  it('a commit is parsed alike', () => {
    const message = 'Título ünïcode\n\nBody\n';
    const oid = work.commit({ a: '1' }, message, { GIT_AUTHOR_NAME: 'Ünï', GIT_AUTHOR_DATE: '1500000000 -0700' });
    const bytes = Buffer.from(`${work.git('cat-file', '-p', oid)}\n`);
    const commit = parseCommit(oid, bytes);
    const [name, email, seconds, body] = work.git('log', '-1', '--format=%an%x00%ae%x00%at%x00%B').split('\0');
    assert.deepEqual([commit.author.name, commit.author.email, String(commit.author.seconds)], [name, email, seconds]);
    assert.equal(commit.message, body);
    assert.equal(work.git('log', '-1', '--format=%aI'), identitySecond(commit.author));
  });
});
