import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintOf } from '../../../src/error-tracking/ingest/grouping/group.ts';
import { hasName, maskText, stableFunction, stablePath } from '../../../src/error-tracking/ingest/grouping/mask.ts';
import { nameOf } from '../../../src/error-tracking/ingest/grouping/title.ts';
import { normaliseEvent } from '../../../src/error-tracking/ingest/normalise/event.ts';

type RawEvent = Record<string, unknown>;
const normalise = (event: RawEvent) => normaliseEvent(event, { receivedAt: Date.now() });
const group = (event: RawEvent) => fingerprintOf(normalise({ platform: 'python', ...event }));

const frame = (name: string, more: RawEvent = {}) => ({
  function: name,
  filename: `app/${name}.py`,
  lineno: 3,
  in_app: true,
  ...more,
});
const thrown = (frames: RawEvent[], more: RawEvent = {}) => ({
  exception: { values: [{ type: 'ValueError', value: 'bad', stacktrace: { frames }, ...more }] },
});
const base = thrown([frame('main'), frame('work')]);

const nameless = (value: string, name = '?') => thrown([frame('main'), frame(name, { filename: 'app.js' })], { value });

const same: [string, RawEvent, RawEvent][] = [
  [
    'a line shift',
    base,
    thrown([frame('main', { lineno: 90 }), frame('work', { lineno: 91, colno: 4, context_line: 'x' })]),
  ],
  ['another value', base, thrown([frame('main'), frame('work')], { value: 'bad 0x7f3a' })],
  [
    'another level, release, environment, user and server',
    base,
    { ...base, level: 'fatal', release: '2', environment: 'dev', user: { id: 1 }, server_name: 's' },
  ],
  ['another path on disk', base, thrown([frame('main', { abs_path: '/srv/2/app/main.py' }), frame('work')])],
  ['library frames between', base, thrown([frame('main'), frame('lib', { in_app: false }), frame('work')])],
  ['a deeper recursion', thrown([frame('main'), frame('work'), frame('work')]), base],
  [
    'hashes in bundle names',
    thrown([frame('f', { filename: '/js/app.3f2a9c1b.js?v=1' })]),
    thrown([frame('f', { filename: '/js/app.9d2a0c1f.js' })]),
  ],
  ['the default fingerprint', base, { ...base, fingerprint: ['{{ default }}'] }],
  ['an empty fingerprint', base, { ...base, fingerprint: [] }],
  ['an explicit fingerprint', { ...base, fingerprint: ['a', 'b'] }, { message: 'other', fingerprint: ['a', 'b'] }],
  ['numbers in a message', { message: 'user 7 not found' }, { message: 'user 8123 not found' }],
  [
    'parameters of a message',
    { message: { message: 'user %s', params: ['a'] } },
    { message: { message: 'user %s', params: ['b'] } },
  ],
  [
    'an exception without frames',
    { exception: [{ type: 'E', value: 'id 17' }] },
    { exception: { values: [{ type: 'E', value: 'id 18' }] } },
  ],
  [
    'a synthetic type',
    thrown([frame('f')], { mechanism: { synthetic: true } }),
    thrown([frame('f')], { type: 'X', mechanism: { synthetic: true } }),
  ],
  ['numbers in errors of an anonymous function', nameless('no row 7'), nameless('no row 8')],
];

const different: [string, RawEvent, RawEvent][] = [
  ['another type', base, thrown([frame('main'), frame('work')], { type: 'KeyError' })],
  ['another function', base, thrown([frame('main'), frame('rest')])],
  ['the message of an error in an anonymous function', nameless('no row'), nameless('no column')],
  [
    'the message of an error in another kind of anonymous function',
    nameless('no row', '<anonymous>'),
    nameless('no column', '<anonymous>'),
  ],
  ['another platform', base, { ...base, platform: 'ruby' }],
  ['another message', { message: 'a' }, { message: 'b' }],
  ['another logger', { message: 'a' }, { message: 'a', logger: 'x' }],
  ['an explicit fingerprint', base, { ...base, fingerprint: ['x'] }],
  ['the order of a fingerprint', { fingerprint: ['a', 'b'] }, { fingerprint: ['b', 'a'] }],
  ['an additional fingerprint part', base, { ...base, fingerprint: ['{{default}}', 'x'] }],
  [
    'the default part of another error',
    { ...base, fingerprint: ['{{default}}', 'x'] },
    { message: 'a', fingerprint: ['{{default}}', 'x'] },
  ],
  ['a variable', { message: 'a', fingerprint: ['{{ message }}'] }, { message: 'b', fingerprint: ['{{ message }}'] }],
  ['a tag', { tags: { a: '1' }, fingerprint: ['{{ tags.a }}'] }, { tags: { a: '2' }, fingerprint: ['{{ tags.a }}'] }],
];

describe('grouping', () => {
  for (const [name, a, b] of same) it(`ignores ${name}`, () => assert.equal(group(a), group(b)));
  for (const [name, a, b] of different) it(`distinguishes ${name}`, () => assert.notEqual(group(a), group(b)));

  it('returns a number that fits into 63 bits', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const id = group({ fingerprint: [`${seed}`] });
      assert.match(id, /^\d{1,19}$/);
      assert.ok(BigInt(id) < 2n ** 63n);
    }
  });

  it('is stable, so that stored errors keep their fingerprints', () => {
    assert.equal(group(base), '1811027382929023510');
  });
});

describe('masking', () => {
  const texts: [string, string][] = [
    ['user 42 of 7.5', 'user <number> of <number>'],
    ['object at 0x7fDE', 'object at <hex>'],
    ['commit 3f2a9c1b0 gone', 'commit <hex> gone'],
    ['key 550e8400-e29b-41d4-a716-446655440000', 'key <uuid>'],
    ['mail to a.b+c@example.co.uk failed', 'mail to <email> failed'],
    ['no route to 10.0.0.1:80', 'no route to <address>'],
    ['no route to fe80::1:2:3', 'no route to <address>'],
    ['at 2024-01-01T00:00:00.5Z or 2024-01-02', 'at <date> or <date>'],
    [`no key 'x' in "y z"`, 'no key <string> in <string>'],
    ["can't and doesn't", "can't and doesn't"],
    ['facade decade', 'facade decade'],
  ];
  for (const [text, expected] of texts) it(text, () => assert.equal(maskText(text), expected));

  const paths: [string, string][] = [
    ['app/main.py', 'app/main.py'],
    ['C:\\app\\main.cs', '/app/main.cs'],
    ['https://example.com/js/app.js?v=3', '/js/app.js'],
    ['/srv/venv/lib/python3.12/site-packages/django/core.py', 'django/core.py'],
    ['/app/node_modules/pg/lib/index.js', 'pg/lib/index.js'],
    ['github.com/x/y@v1.2.3/z.go', 'github.com/x/y@<version>/z.go'],
    ['/gems/rack-3.1.2/lib/rack.rb', 'rack-<version>/lib/rack.rb'],
  ];
  for (const [path, expected] of paths) it(path, () => assert.equal(stablePath(path), expected));

  it('strips compiler-generated numbers', () => {
    assert.equal(stableFunction('Main$$Lambda$14/0x0008'), 'Main$$Lambda');
    assert.equal(stableFunction('app::main::h0123456789abcdef'), 'app::main');
    assert.equal(stableFunction('lambda$run$3'), 'lambda$run$');
    assert.equal(stableFunction('{closure:App\\Job::run():12}'), '{closure:App\\Job::run()}');
  });

  it('runs in linear time', () => {
    for (const part of ['a', "'", 'a@', '1.', '0x', ':', '{{', '\\"']) {
      const text = part.repeat(4000);
      maskText(text);
      stablePath(text);
      group({ message: text, fingerprint: [text.slice(0, 500)] });
    }
  });
});

describe('hasName', () => {
  for (const name of [
    null,
    '?',
    '<anonymous>',
    'Object.<anonymous>',
    'new <anonymous>',
    '<lambda>',
    'App\\{closure}',
  ]) {
    it(String(name), () => assert.equal(hasName(name), false));
  }
  for (const name of ['work', '<module>', 'Array.map', 'Job.<locals>.run', '{closure:App\\Job::run():12}']) {
    it(`rejects ${name}`, () => assert.ok(hasName(name)));
  }
});

describe('error names', () => {
  const names: [string, RawEvent, Partial<ReturnType<typeof nameOf>>][] = [
    ['type and value', base, { title: 'ValueError: bad', message: 'bad', culprit: 'work(app/work.py)' }],
    [
      'the last exception',
      {
        exception: [
          { type: 'Root', value: 'r' },
          { type: 'Outer', value: 'o' },
        ],
      },
      { title: 'Outer: o' },
    ],
    ['no value', { exception: [{ type: 'E' }] }, { title: 'E', message: 'E', culprit: '<unknown>' }],
    ['no type', { exception: [{ value: 'v' }] }, { title: 'Error: v', message: 'v' }],
    ['nothing', {}, { title: '<no message>', message: '<no message>', culprit: '<unknown>' }],
    ['a message of two lines', { message: 'a\nb', logger: 'l' }, { title: 'a', message: 'a\nb', culprit: 'l' }],
    ['a transaction', { ...base, transaction: '/users' }, { culprit: '/users' }],
    ['an empty transaction', { ...base, transaction: '' }, { culprit: 'work(app/work.py)' }],
    ['a module', thrown([frame('f', { module: 'a.b' })]), { culprit: 'f(a.b)' }],
    [
      'calls of a library',
      thrown([frame('own', { in_app: true }), frame('send', { in_app: false }), frame('stack', { in_app: false })]),
      { culprit: 'own(app/own.py)' },
    ],
    [
      'only calls of libraries',
      thrown([frame('run', { in_app: false }), frame('stack', { in_app: false })]),
      { culprit: 'stack(app/stack.py)' },
    ],
    ['only a function', thrown([{ function: 'f' }]), { culprit: 'f' }],
    ['a synthetic type', thrown([frame('f')], { mechanism: { synthetic: true } }), { title: 'f: bad' }],
    [
      'a synthetic type of an anonymous function',
      thrown([frame('?')], { mechanism: { synthetic: true } }),
      { title: 'ValueError: bad' },
    ],
  ];
  for (const [name, event, expected] of names) {
    it(name, () => {
      const named = nameOf(normalise(event));
      assert.deepEqual({ ...named, ...expected }, named);
    });
  }
});
