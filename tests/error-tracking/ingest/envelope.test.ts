import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EnvelopeReader } from '../../../src/error-tracking/ingest/envelope.ts';
import { HttpError } from '../../../src/platform/http/errors.ts';
import fc from '../../support/properties.ts';

const limit = 1000;

/** Parses a body. Returns the event and the item types, or the error status. */
function read(body: string | Buffer, chunkSize = 7) {
  const bytes = Buffer.from(body);
  const reader = new EnvelopeReader(limit);
  try {
    for (let at = 0; at < bytes.length; at += chunkSize) reader.push(bytes.subarray(at, at + chunkSize));
    const { event, types } = reader.end();
    return { event: event?.toString(), types: types.join() };
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
}

const event = '{"message":"ä"}';
const length = Buffer.byteLength(event);
const cases: [string, string, ReturnType<typeof read>][] = [
  ['only a header', '{}\n', { event: undefined, types: '' }],
  ['only a header without a newline', '{}', { event: undefined, types: '' }],
  ['nothing', '', 400],
  ['a header that is not JSON', 'x\n', 400],
  ['a header that is a list', '[]\n', 400],
  [
    'a session without a final newline',
    '{}\n{"type":"session"}\n{"started":1}',
    { event: undefined, types: 'session' },
  ],
  ['an event without a length', `{}\n{"type":"event"}\n${event}`, { event, types: 'event' }],
  ['an event without a length, and a newline', `{}\n{"type":"event"}\n${event}\n`, { event, types: 'event' }],
  ['a length of null', `{}\n{"type":"event","length":null}\n${event}\n`, { event, types: 'event' }],
  ['a length in bytes', `{}\n{"type":"event","length":${length}}\n${event}\n`, { event, types: 'event' }],
  ['a length without a final newline', `{}\n{"type":"event","length":${length}}\n${event}`, { event, types: 'event' }],
  ['a length one too small', `{}\n{"type":"event","length":${length - 1}}\n${event}\n`, 400],
  ['a length one too large', `{}\n{"type":"event","length":${length + 2}}\n${event}\n`, 400],
  ['a length that is negative', `{}\n{"type":"event","length":-1}\n${event}\n`, 400],
  ['a length that is text', `{}\n{"type":"event","length":"7"}\n${event}\n`, 400],
  [
    'an attachment that ends in CR LF, then an event',
    `{}\n{"type":"attachment","length":10}\n12345678\r\n\n{"type":"event"}\n${event}`,
    { event, types: 'attachment,event' },
  ],
  [
    'an unknown type with newlines in it, then an event',
    `{}\n{"type":"new","length":5}\na\nb\nc\n{"type":"event"}\n${event}`,
    { event, types: 'new,event' },
  ],
  ['an empty payload', `{}\n{"type":"x","length":0}\n\n{"type":"event"}\n${event}`, { event, types: 'x,event' }],
  ['an empty payload at the end', '{}\n{"type":"x","length":0}', { event: undefined, types: 'x' }],
  ['an item header at the end', '{}\n{"type":"x"}', { event: undefined, types: 'x' }],
  ['an item header with a length at the end', '{}\n{"type":"x","length":3}', 400],
  ['blank lines', `{}\n\n\r\n{"type":"event"}\n${event}\n\n\n`, { event, types: 'event' }],
  ['CR LF after the header', `{}\r\n{"type":"event"}\n${event}`, { event, types: 'event' }],
  ['an item without a type', `{}\n{}\n${event}`, 400],
  ['an item header that is not JSON', `{}\n${event.slice(1)}\n`, 400],
  ['two events', `{}\n{"type":"event"}\n${event}\n{"type":"event"}\n${event}`, 400],
  [
    'a transaction and an event',
    `{}\n{"type":"transaction"}\n{}\n{"type":"event"}\n${event}`,
    { event, types: 'transaction,event' },
  ],
  ['500 items', `{}\n${'{"type":"x"}\n\n'.repeat(500)}`, { event: undefined, types: Array(500).fill('x').join() }],
  ['501 items', `{}\n${'{"type":"x"}\n\n'.repeat(501)}`, 400],
  ['an event that is too large', `{}\n{"type":"event"}\n"${'x'.repeat(limit)}"`, 413],
  ['an event whose declared length is too large', `{}\n{"type":"event","length":${limit + 1}}\n`, 413],
  [
    'a large attachment',
    `{}\n{"type":"attachment","length":90000}\n${'x'.repeat(90_000)}`,
    { event: undefined, types: 'attachment' },
  ],
  ['a header without a newline', `{"a":"${'x'.repeat(300_000)}`, 413],
];

describe('envelope parser', () => {
  for (const [name, body, expected] of cases) {
    it(`parses ${name}`, () => {
      assert.deepEqual(read(body), expected);
    });
  }

  it('is independent of chunk boundaries', () => {
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.integer({ min: 1, max: 64 }), ([, body, expected], size) => {
        assert.deepEqual(read(body, size), expected);
      }),
    );
  });

  it('only fails with error responses on random input', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(bytes, fc.constantFrom('', '{}\n', '{}\n{"type":"event","length":3}\n'), (noise, start) => {
        read(Buffer.concat([Buffer.from(start), noise]));
      }),
    );
  });
});
