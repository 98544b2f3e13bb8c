import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { serializerOf } from '../../../../src/platform/http/responses/serializer.ts';

const Thing = Type.Object({
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  parts: Type.Array(Type.Object({ note: Type.Optional(Type.String()), size: Type.Integer() })),
});

test('fields are serialized in the order of their declaration, even if some are missing', () => {
  const serialize = serializerOf(Thing);
  assert.equal(
    serialize({ parts: [{ size: 1, note: 'x' }, { size: 2 }], name: 'n', id: 1 }),
    '{"id":1,"name":"n","parts":[{"note":"x","size":1},{"size":2}]}',
  );
  assert.equal(serialize({ parts: [], id: 1 }), '{"id":1,"parts":[]}');
});

test('undeclared fields are not serialized', () => {
  const serialize = serializerOf(Thing);
  assert.equal(serialize({ id: 1, parts: [{ size: 1, secret: 'x' }], secret: 'x' }), '{"id":1,"parts":[{"size":1}]}');
});
