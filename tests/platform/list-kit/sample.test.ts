import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { randomIds, surelyExceedsLimit } from '../../../src/platform/list-kit/sample.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('random sample ids', () => {
  it('are within the id range, and empty for small tables', () => {
    const numbers = { first: 11, last: 20_010 };
    const ids = randomIds(numbers);
    assert.ok(ids.length > 300);
    assert.ok(ids.every((each) => each >= 11 && each <= 20_010));
    assert.deepEqual([randomIds(numbers, 9, () => 0), randomIds(numbers, 9, () => 0.9999999)], [[11], [20_010]]);
    assert.deepEqual(randomIds({ first: 1, last: 10_000 }), []);
    assert.deepEqual(randomIds({ first: null, last: null }), []);
  });

  it('indicate that the count limit is exceeded only if that is certain', () => {
    const rangeOf = (rows: number) => ({ first: 1, last: rows });
    for (const [hits, rows, sure] of [
      [400, 10_000, false],
      [400, 10_001, false],
      [400, 20_000, true],
      [200, 20_000, false],
      [240, 20_000, false],
      [260, 20_000, true],
      [4, 1_000_000, false],
      [15, 1_000_000, false],
      [40, 1_000_000, true],
      [3, 1_000_000_000, false],
    ] as const) {
      assert.equal(surelyExceedsLimit(hits, 400, rangeOf(rows)), sure, `${hits} of ${rows}`);
    }
    assert.equal(surelyExceedsLimit(0, 0, rangeOf(1_000_000)), false);
  });
});

forEachEngine((engine) => {
  describe('a search for a very common word', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
      await addTopics(1, 9999);
    });

    const addTopics = (from: number, to: number) =>
      server.db.write((trx) =>
        sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})
          insert into topics (name, title, total_projects_count, created_at, updated_at)
          select 'common' || i, 'Common ' || i, 0, 1, 1 from n`.execute(trx),
      );
    const totalOf = async (search: string) =>
      (await server.api(`GET /topics?search=${search}&per_page=1`)).headers.get('x-total');

    it('is counted up to ten thousand rows', async () => {
      // Add rows that do not match, so that the table has more rows than the count limit.
      await server.db.write((trx) =>
        sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 9000)
          insert into topics (name, title, total_projects_count, created_at, updated_at)
          select 'other' || i, 'Other ' || i, 0, 1, 1 from n`.execute(trx),
      );
      assert.equal(await totalOf('common'), '9999');
      await addTopics(10_000, 10_000);
      assert.equal(await totalOf('common'), '10000');
      await addTopics(10_001, 10_001);
      assert.equal(await totalOf('common'), null);
      await addTopics(10_002, 30_000);
      assert.equal(await totalOf('common'), null);
      assert.equal(await totalOf('other12'), '111');
      const page = await server.must('GET /topics?search=common&page=3&per_page=2');
      assert.equal(page.length, 2);
    });
  });

  describe('a list over a whole table', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
      await addTokens(1, 20_000, 0);
    });

    const addTokens = (from: number, to: number, revoked: 0 | 1) =>
      server.db.write((trx) =>
        sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})
          insert into access_tokens (user_id, name, digest, scopes, revoked, created_at)
          select 1, 'token', ${`digest ${revoked} `} || i, '["api"]', cast(${revoked} as integer), 1 from n`.execute(
          trx,
        ),
      );
    const totalOf = async (filter: string) =>
      (await server.api(`GET /personal_access_tokens?per_page=1${filter}`)).headers.get('x-total');

    it('has a total up to ten thousand rows', async () => {
      assert.equal(await totalOf(''), null);
      assert.equal(await totalOf('&revoked=false'), null);
      await addTokens(1, 9999, 1);
      assert.equal(await totalOf('&revoked=true'), '9999');
      await addTokens(10_000, 10_000, 1);
      assert.equal(await totalOf('&revoked=true'), '10000');
      await addTokens(10_001, 10_001, 1);
      assert.equal(await totalOf('&revoked=true'), null);
      assert.equal(await totalOf('&created_after=2999-01-01T00:00:00Z'), '0');
      const [first] = await server.must('GET /personal_access_tokens?revoked=true&page=3&per_page=2');
      assert.equal(first.revoked, true);
    });
  });
});
