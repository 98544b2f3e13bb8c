import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  KeysetPage,
  keysetHeaders,
  linkQuery,
  offsetHeaders,
  Page,
  readPage,
} from '../../../../src/platform/http/pages/pagination.ts';

describe('pagination', () => {
  const table: [Record<string, unknown>, unknown][] = [
    [{}, { page: 1, perPage: 20, offset: 0 }],
    [
      { page: '3', per_page: '10' },
      { page: 3, perPage: 10, offset: 20 },
    ],
    [{ per_page: 1000 }, { page: 1, perPage: 100, offset: 0 }],
    [{ page: 0 }, { page: 1, perPage: 20, offset: 0 }],
    [
      { page: -4, per_page: -1 },
      { page: 1, perPage: 20, offset: 0 },
    ],
  ];
  for (const [sent, expected] of table) {
    it(`parses ${JSON.stringify(sent)}`, () => assert.deepEqual(readPage(sent), expected));
  }

  it('rejects an empty page and non-numeric values', () => {
    assert.throws(() => readPage({ per_page: 0 }), { body: { error: 'per_page has a value not allowed' } });
    assert.throws(() => readPage({ page: 'x', per_page: 'y' }), {
      body: { error: 'page is invalid, per_page is invalid' },
    });
  });

  const pageRequest = { page: 2, perPage: 10, offset: 10 };
  const headers = (total: number | undefined, page = pageRequest, items = 10) =>
    offsetHeaders(new Page(new Array(items).fill(0), total), page, 'http://h/api/v4/x', { id: 'a/b' });
  const relations = (link: string | undefined) => [...(link ?? '').matchAll(/rel="(\w+)"/g)].map((match) => match[1]);

  it('links every relation of a middle page', () => {
    const result = headers(35);
    assert.deepEqual(relations(result.link), ['prev', 'next', 'first', 'last']);
    assert.match(result.link ?? '', /<http:\/\/h\/api\/v4\/x\?id=a%2Fb&page=3&per_page=10>; rel="next"/);
    assert.deepEqual(
      [result['x-page'], result['x-next-page'], result['x-prev-page'], result['x-total'], result['x-total-pages']],
      ['2', '3', '1', '35', '4'],
    );
  });

  it('has empty headers for pages that do not exist', () => {
    const result = headers(0, { page: 1, perPage: 10, offset: 0 }, 0);
    assert.deepEqual(relations(result.link), ['first', 'last']);
    assert.deepEqual(
      [result['x-next-page'], result['x-prev-page'], result['x-total'], result['x-total-pages']],
      ['', '', '0', '1'],
    );
  });

  it('echoes a page past the end', () => {
    const result = headers(5, { page: 9, perPage: 10, offset: 80 }, 0);
    assert.deepEqual([result['x-page'], result['x-next-page'], result['x-prev-page']], ['9', '', '']);
  });

  it('omits totals above 10,000 rows and for uncounted lists', () => {
    for (const total of [10_001, undefined]) {
      const result = headers(total);
      assert.deepEqual(relations(result.link), ['prev', 'next', 'first']);
      assert.equal(result['x-total'], undefined);
      assert.equal(result['x-total-pages'], undefined);
    }
  });

  it('keeps credentials out of links', () => {
    assert.equal(
      linkQuery({ b: ['1', '2'], a: { k: 'v' }, private_token: 's', job_token: 's', sudo: 's' }),
      'a%5Bk%5D=v&b%5B%5D=1&b%5B%5D=2',
    );
  });

  it('has only a next link on keyset pages', () => {
    const next = keysetHeaders(new KeysetPage([1], { id_after: '7' }), 'http://h/x', { order_by: 'id' });
    assert.deepEqual(next, { link: '<http://h/x?id_after=7&order_by=id>; rel="next"' });
    assert.deepEqual(keysetHeaders(new KeysetPage([1]), 'http://h/x', {}), {});
  });
});
