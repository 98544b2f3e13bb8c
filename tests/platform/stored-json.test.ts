import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { storedJson } from '../../src/platform/stored-json.ts';

describe('stored JSON', () => {
  const read = storedJson(Type.Object({ title: Type.String(), pages: Type.Optional(Type.Integer()) }));

  it('is parsed by its schema', () => {
    assert.deepEqual(read('{"title":"Walden","pages":320}'), { title: 'Walden', pages: 320 });
    assert.deepEqual(read('{"title":"Walden"}'), { title: 'Walden' });
  });

  for (const text of ['{}', '[]', 'null', '{"title":7}', '{"title":"Walden","pages":1.5}']) {
    it(`rejects ${text}`, () => assert.throws(() => read(text), /stored JSON/));
  }

  it('rejects invalid JSON', () => {
    assert.throws(() => read('title: Walden'), SyntaxError);
  });
});
