import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { readEventJson, unpackStoreBody } from '../../../src/error-tracking/ingest/event-json.ts';
import { occurredAt, readInstant } from '../../../src/error-tracking/ingest/normalise/clock.ts';
import { normaliseEvent } from '../../../src/error-tracking/ingest/normalise/event.ts';
import { interpolate } from '../../../src/error-tracking/ingest/normalise/message.ts';
import { identityOf } from '../../../src/error-tracking/ingest/normalise/people.ts';
import { HttpError } from '../../../src/platform/http/errors.ts';

const now = Date.UTC(2026, 10, 15, 12);
const minute = 60_000;
const normalise = (event: Record<string, unknown>, context = {}) =>
  normaliseEvent(event, { receivedAt: now, peer: '192.0.2.7', ...context });

describe('event JSON', () => {
  const read = (text: string | Buffer) => readEventJson(Buffer.from(text));

  it('replaces numbers that JSON lacks by null', () => {
    const text = '{"a":NaN,"b":[Infinity,-Infinity,-1],"c":"NaN \\" Infinity","NaN":1}';
    assert.deepEqual(read(text), { a: null, b: [null, null, -1], c: 'NaN " Infinity', NaN: 1 });
  });

  it('replaces invalid UTF-8', () => {
    assert.deepEqual(read(Buffer.from('{"a":"\xff"}', 'latin1')), { a: '\ufffd' });
  });

  for (const text of ['', '[]', '"x"', '7', 'null', '{', '{"a":', `${'{"a":'.repeat(250)}1${'}'.repeat(250)}`]) {
    it(`rejects ${text.slice(0, 20)}`, () => {
      assert.throws(
        () => read(text),
        (error) => error instanceof HttpError && error.status === 400,
      );
    });
  }

  it('decodes the formats of legacy clients', () => {
    const json = '{"message":"legacy"}';
    for (const body of [json, Buffer.from(json).toString('base64'), deflateSync(json).toString('base64')]) {
      assert.deepEqual(read(unpackStoreBody(Buffer.from(body), 1000)), { message: 'legacy' });
    }
    const bomb = deflateSync(Buffer.alloc(5000, 0x20)).toString('base64');
    const tooLarge = (error: unknown) => error instanceof HttpError && error.status === 413;
    assert.throws(() => unpackStoreBody(Buffer.from(bomb), 1000), tooLarge);
  });
});

describe('clock', () => {
  const instants: [unknown, number | undefined][] = [
    [1_704_067_200.25, 1_704_067_200_250],
    ['1704067200.25', 1_704_067_200_250],
    [1_704_067_200_250, 1_704_067_200_250],
    ['2024-01-01T00:00:00Z', 1_704_067_200_000],
    ['2024-01-01T00:00:00.123456Z', 1_704_067_200_123],
    ['2024-01-01T01:00:00.123456789+01:00', 1_704_067_200_123],
    ['2024-01-01T00:00:00', 1_704_067_200_000],
    ['2024-01-01 00:00:00', 1_704_067_200_000],
    ['soon', undefined],
    [null, undefined],
    [-1, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ];
  for (const [given, expected] of instants) {
    it(`parses ${given}`, () => assert.equal(readInstant(given), expected));
  }

  const at = (timestamp: number) => ({ timestamp: timestamp / 1000 });
  const hour = 60 * minute;
  const corrections: [string, number, number | undefined, number][] = [
    ['keeps a recent time', now - hour, undefined, now - hour],
    ['corrects the drift of the sender', now - 3 * hour, now - 2 * hour, now - hour],
    ['ignores a small drift', now - 30 * minute, now - 20 * minute, now - 30 * minute],
    ['corrects a time in the future by the drift', now + 4 * hour, now + 5 * hour, now - hour],
    ['replaces a time in the future', now + 2 * minute, undefined, now],
    ['replaces a time too long ago', now - 31 * 24 * hour, undefined, now],
  ];
  for (const [name, timestamp, sent, expected] of corrections) {
    it(name, () => {
      assert.equal(occurredAt(at(timestamp), sent === undefined ? undefined : sent / 1000, now), expected);
    });
  }
});

describe('event normalization', () => {
  it('normalizes the ID to 32 digits', () => {
    const dashed = '12345678-90AB-CDEF-1234-567890abcdef';
    const plain = '1234567890abcdef1234567890abcdef';
    assert.equal(normalise({ event_id: plain }).event_id, plain);
    assert.equal(normalise({ event_id: 'f'.repeat(32) }, { eventId: dashed }).event_id, plain);
    assert.match(normalise({ event_id: 'bad' }).event_id, /^[0-9a-f]{32}$/);
  });

  const levels: [unknown, string][] = [
    ['fatal', 'fatal'],
    ['critical', 'fatal'],
    ['WARN', 'warning'],
    ['log', 'info'],
    [10, 'debug'],
    [40, 'error'],
    [undefined, 'error'],
    [null, 'error'],
    ['loud', 'error'],
    ['constructor', 'error'],
    [{ toString: 1, valueOf: 1 }, 'error'],
    [[{ toString: 1 }], 'error'],
  ];
  for (const [level, expected] of levels) {
    it(`maps level ${JSON.stringify(level)} to ${expected}`, () => assert.equal(normalise({ level }).level, expected));
  }

  const one = { type: 'E', value: 'v' };
  for (const exception of [[one], { values: [one] }, one, { values: [null, one] }]) {
    it(`reads exceptions from ${JSON.stringify(exception)}`, () => {
      assert.deepEqual(
        normalise({ exception }).exceptions.map(({ type, value }) => [type, value]),
        [['E', 'v']],
      );
    });
  }

  const messages: [Record<string, unknown>, string | undefined, string | null | undefined][] = [
    [{ message: 'plain' }, 'plain', null],
    [{ message: { formatted: 'a 1', message: 'a %s', params: ['1'] } }, 'a 1', 'a %s'],
    [{ message: { message: 'a %s', params: [] } }, 'a %s', null],
    [{ logentry: { message: 'a %s of %d', params: ['x', 2] } }, 'a x of 2', 'a %s of %d'],
    [{ 'sentry.interfaces.Message': { message: 'old' } }, 'old', null],
    [{ message: '' }, undefined, undefined],
    [{ message: 7 }, undefined, undefined],
    [{}, undefined, undefined],
  ];
  for (const [given, formatted, template] of messages) {
    it(`reads the message from ${JSON.stringify(given)}`, () => {
      const { message } = normalise(given);
      assert.equal(message?.formatted, formatted);
      assert.equal(message?.template, template);
    });
  }

  it('substitutes the parameters of a message', () => {
    assert.equal(interpolate('%s {0} {name} {} %(name)s %% %d', ['a', 'b']), 'a a {name} b %(name)s % %d');
    assert.equal(interpolate('{name} %(name)s %s', { name: 'n' }), 'n n %s');
    const inherited = '{constructor} {__proto__} %(toString)s';
    assert.equal(interpolate(inherited, {}), inherited);
    assert.equal(interpolate(inherited, JSON.parse('{"__proto__":1,"constructor":2,"toString":3}')), '2 1 3');
  });

  it('converts an exception without a type to a message', () => {
    const frames = [{ function: 'f' }];
    const event = normalise({ message: 'hello', exception: { values: [{ value: 'hello', stacktrace: { frames } }] } });
    assert.deepEqual([event.exceptions.length, event.frames.map((frame) => frame.function)], [0, ['f']]);
  });

  const stacks = [
    {
      threads: {
        values: [
          { stacktrace: { frames: [{ function: 'other' }] } },
          { current: true, stacktrace: { frames: [{ function: 'f' }] } },
        ],
      },
    },
    { threads: [{ current: true, stacktrace: { frames: [{ function: 'f' }] } }] },
    { stacktrace: { frames: [{ function: 'f' }] } },
  ];
  for (const given of stacks) {
    it(`reads the stack of a message from ${JSON.stringify(given).slice(0, 40)}`, () => {
      assert.deepEqual(
        normalise({ message: 'm', ...given }).frames.map((frame) => frame.function),
        ['f'],
      );
    });
  }

  it('keeps both ends of a very deep stack', () => {
    const frames = Array.from({ length: 1000 }, (_, index) => ({ function: `f${index}`, context_line: 'code' }));
    const kept = normalise({ exception: { type: 'E', stacktrace: { frames } } }).exceptions[0]?.frames ?? [];
    assert.deepEqual([kept.length, kept[0]?.function, kept.at(-1)?.function], [250, 'f0', 'f999']);
    assert.deepEqual([kept[100]?.context_line, kept.at(-1)?.context_line], [null, 'code']);
  });

  const frames: [Record<string, unknown>, boolean][] = [
    [{ filename: 'app/main.py' }, true],
    [{ filename: 'app/main.py', in_app: false }, false],
    [{ filename: '/srv/node_modules/x/index.js' }, false],
    [{ filename: 'node:internal/timers' }, false],
    [{ abs_path: '/usr/lib/python3/dist-packages/x.py', filename: 'x.py' }, false],
    [{ module: 'java.lang.Thread' }, false],
    [{ module: 'java.lang.Thread', in_app: true }, true],
  ];
  for (const [frame, expected] of frames) {
    it(`detects application code in ${JSON.stringify(frame)}`, () => {
      assert.equal(normalise({ stacktrace: { frames: [frame] } }).frames[0]?.in_app, expected);
    });
  }

  it('converts tags to text', () => {
    const expected = { a: '1', b: 'true', c: 'x' };
    assert.deepEqual({ ...normalise({ tags: { a: 1, b: true, c: 'x', d: null } }).tags }, expected);
    assert.deepEqual({ ...normalise({ tags: [['a', 1], ['b', true], ['c', 'x'], ['d', null], 7] }).tags }, expected);
  });

  it('keeps the last hundred breadcrumbs', () => {
    const values = Array.from({ length: 150 }, (_, index) => ({ message: `${index}`, timestamp: 1_704_067_200 }));
    for (const breadcrumbs of [values, { values }]) {
      const kept = normalise({ breadcrumbs }).breadcrumbs;
      assert.deepEqual([kept.length, kept[0]?.message, kept[0]?.timestamp], [100, '50', 1_704_067_200_000]);
    }
  });

  it('removes secrets, card numbers and NUL characters', () => {
    const event = normalise({
      extra: {
        password: 'p',
        nested: [{ api_key: 'k' }],
        card: 'pay 4111 1111 1111 1111 now',
        nul: 'a\0b',
        author: 'A',
      },
      request: { headers: { Authorization: 'Bearer x', Cookie: 'c', Accept: '*/*' }, cookies: { a: 'b' } },
      exception: {
        type: 'E',
        value: 'card 4111111111111111',
        stacktrace: { frames: [{ vars: { my_token: 't', n: 1 } }] },
      },
    });
    const kept = JSON.stringify(event);
    for (const secret of ['"p"', '"k"', '4111', 'Bearer', '"c"', '"b"', '"t"', '\\u0000']) {
      assert.ok(!kept.includes(secret), `${secret} in ${kept}`);
    }
    assert.ok(kept.includes('"author":"A"') && kept.includes('"n":1') && kept.includes('*/*'));
  });

  it('removes the secrets of URLs, queries, forms and JSON that are still texts', () => {
    const event = normalise({
      message: 'POST https://bob:hunter2@x.org/pay?a=1&access_token=t0ps3cret#api_key=k3y failed, see ?page=2',
      breadcrumbs: [{ message: '/a?user%5Bpassword%5D=p4ss', data: { url: 'https://x.org/?token=cr0mb&q=kept' } }],
      request: {
        url: 'https://x.org/?csrf=f0rged&b=2',
        query_string: 'token=qu3ry&c=3',
        headers: [
          ['X-Api-Key', 'h3ader'],
          ['Accept', 'text/plain'],
        ],
        data: 'd=4&password=f0rm',
      },
      exception: {
        type: 'E',
        stacktrace: { frames: [{ lineno: 1, context_line: 'get("/?token=%s" % token)', in_app: true }] },
      },
    });
    const kept = JSON.stringify(event);
    for (const secret of ['hunter2', 't0ps3cret', 'k3y', 'p4ss', 'cr0mb', 'f0rged', 'qu3ry', 'h3ader', 'f0rm']) {
      assert.ok(!kept.includes(secret), `${secret} in ${kept}`);
    }
    assert.equal(
      event.message?.formatted,
      'POST https://bob:[Filtered]@x.org/pay?a=1&access_token=[Filtered]#api_key=[Filtered] failed, see ?page=2',
    );
    assert.deepEqual(
      { ...event.request },
      {
        url: 'https://x.org/?csrf=[Filtered]&b=2',
        query_string: 'token=[Filtered]&c=3',
        headers: [
          ['X-Api-Key', '[Filtered]'],
          ['Accept', 'text/plain'],
        ],
        data: 'd=4&password=[Filtered]',
      },
    );
    assert.ok(kept.includes('?token=%s'), 'code is kept as it is');
    const body = '{"a": 1, "password": "q\\"x", "pin_token": 42, "list": [{"secret":"cut he';
    const cut = '{"a": 1, "password": "[Filtered]", "pin_token": "[Filtered]", "list": [{"secret":"[Filtered]"';
    assert.equal(normalise({ request: { data: body } }).request?.data, cut);
    assert.deepEqual(
      normalise({
        request: {
          query_string: [
            ['token', 'x'],
            ['q', '1'],
          ],
        },
      }).request?.query_string,
      [
        ['token', '[Filtered]'],
        ['q', '1'],
      ],
    );
  });

  it('replaces lone surrogates, which databases cannot tell apart', () => {
    const event = normalise({ release: 'a\ud800', environment: '\udfffb', transaction: `${'x'.repeat(254)}\u{1f600}` });
    assert.deepEqual([event.release, event.environment], ['a\ufffd', '\ufffdb']);
    assert.equal(event.transaction, 'x'.repeat(254));
  });

  it('accepts values of any type anywhere', () => {
    const names = Object.keys(normalise({})).concat('exception', 'threads', 'stacktrace', 'logentry');
    const objects: unknown[] = [{}, { values: 7 }, { frames: [7, { lineno: -1 }] }, { toString: 7, valueOf: 7 }];
    for (const value of [null, 7, 'x', true, [], [null, 7], ...objects, objects]) {
      for (const name of names) normalise({ [name]: value, exception: [{ [name]: value, stacktrace: value }] });
    }
  });
});

describe('affected user', () => {
  const identity = (user: unknown, more = {}) => identityOf(normalise({ user, ...more }).user);

  it('is identified by the first of ID, user name, e-mail and IP address', () => {
    assert.equal(identity({ id: 7, username: 'a' }), identity({ id: '7', username: 'b' }));
    assert.equal(identity({ id: null, username: 'a', email: 'x' }), identity({ username: 'a' }));
    assert.equal(identity({ email: 'A@x.org' }), identity({ email: 'a@X.org' }));
    assert.equal(identity({ ip_address: '{{auto}}' }), identity({ ip_address: '192.0.2.7' }));
    assert.equal(
      identity({}, { request: { env: { REMOTE_ADDR: '192.0.2.7' } } }),
      identity({ ip_address: '192.0.2.7' }),
    );
  });

  it('is distinct for different kinds of values', () => {
    const all = [{ id: '7' }, { username: '7' }, { email: '7' }, { ip_address: '7' }, { id: '8' }].map((user) =>
      identity(user),
    );
    assert.equal(new Set(all).size, all.length);
  });

  for (const user of [
    undefined,
    null,
    {},
    { id: '' },
    { id: null, email: null },
    { Username: 'x' },
    'x',
    { plan: 'free' },
  ]) {
    it(`is absent for ${JSON.stringify(user)}`, () => assert.equal(identity(user), null));
  }
});
