import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Generated } from 'kysely';
import type { Database } from '../../../../src/platform/database/database.ts';
import { boundProperties } from '../../../../src/platform/database/form.ts';
import type { KeysetOrder } from '../../../../src/platform/database/keyset.ts';
import { checkOffset, cursorPage, readCursor } from '../../../../src/platform/http/pages/cursor.ts';
import { list } from '../../../../src/platform/list-kit/list.ts';
import { byColumn } from '../../../../src/platform/list-kit/order.ts';
import { forEachEngine, openTestDatabase } from '../../../support/engines.ts';

declare module '../../../../src/platform/database/tables.ts' {
  interface Tables {
    cursor_specimens: { id: Generated<number>; name: string };
  }
}

const specimens = {
  name: '0001-specimens',
  up: ({ id, text }: { id: string; text: string }) => [
    `create table cursor_specimens (id ${id}, name ${text} not null)`,
    ...['b', 'a', 'b', 'c', 'a', 'b', 'd'].map((name) => `insert into cursor_specimens (name) values ('${name}')`),
  ],
};

const all = list({
  id: 'cursor_specimens.id',
  scope: boundProperties()({}),
  filters: {},
  orders: { name: byColumn('cursor_specimens.name', 'text') },
  select: (db) => db.selectFrom('cursor_specimens').selectAll(),
});

const order = (descending: boolean): KeysetOrder => ({
  columns: { 'cursor_specimens.name': 'text', 'cursor_specimens.id': 'integer' },
  descending,
});

forEachEngine((engine) => {
  describe('cursor pagination', () => {
    let db: Database;

    before(async () => {
      db = await openTestDatabase(engine, [specimens]);
    });

    const page = (descending: boolean, cursor?: string) =>
      cursorPage(order(descending), cursor, (position) => all.walk(db.read, {}, {}, order(descending), position, 3));

    for (const descending of [false, true]) {
      it(`walks ${descending ? 'descending' : 'ascending'} and back`, async () => {
        const walked: number[][] = [];
        const back: (string | undefined)[] = [];
        let cursor: string | undefined;
        do {
          const found = await page(descending, cursor);
          walked.push(found.items.map((row) => row.id));
          back.push(found.headers['x-prev-cursor']);
          cursor = found.next?.cursor;
          assert.equal(found.headers['x-next-cursor'], cursor);
        } while (cursor);
        const up = [2, 5, 1, 3, 6, 4, 7];
        const all = descending ? up.reverse() : up;
        assert.deepEqual(walked, [all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
        assert.deepEqual([back[0], typeof back[1], typeof back[2]], [undefined, 'string', 'string']);
        const second = await page(descending, back[2]);
        assert.deepEqual(
          second.items.map((row) => row.id),
          all.slice(3, 6),
        );
        const first = await page(descending, second.headers['x-prev-cursor']);
        assert.deepEqual(
          first.items.map((row) => row.id),
          all.slice(0, 3),
        );
        assert.equal(first.headers['x-prev-cursor'], undefined);
        assert.ok(first.next);
      });
    }
  });
});

describe('cursors', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const text of ['', '%', encode(null), encode([]), encode({ name: 'x' }), encode({ name: 1, id: 1 })]) {
    it(`rejects ${text}`, () => {
      assert.throws(() => readCursor(order(false), text), { status: 400 });
    });
  }
  it('are parsed', () => {
    const read = readCursor(order(false), encode({ name: 'x', id: 5, _kd: 'p' }));
    assert.deepEqual(read, { values: ['x', 5], backwards: true });
  });
});

it('offsets are limited', () => {
  checkOffset({ page: 500, perPage: 100 }, 'User');
  assert.throws(() => checkOffset({ page: 501, perPage: 100 }, 'User'), { status: 405 });
});
