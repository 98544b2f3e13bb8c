import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { serializerOf } from '../../../../src/platform/http/responses/serializer.ts';

const Thing = Type.Object({
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  parts: Type.Array(Type.Object({ note: Type.Optional(Type.String()), size: Type.Integer() })),
});

test('fields are written in the order in which they are declared, whether they are there or not', () => {
  const serialize = serializerOf(Thing);
  assert.equal(
    serialize({ parts: [{ size: 1, note: 'x' }, { size: 2 }], name: 'n', id: 1 }),
    '{"id":1,"name":"n","parts":[{"note":"x","size":1},{"size":2}]}',
  );
  assert.equal(serialize({ parts: [], id: 1 }), '{"id":1,"parts":[]}');
});

test('a field that is not declared never leaves', () => {
  const serialize = serializerOf(Thing);
  assert.equal(serialize({ id: 1, parts: [{ size: 1, secret: 'x' }], secret: 'x' }), '{"id":1,"parts":[{"size":1}]}');
});
