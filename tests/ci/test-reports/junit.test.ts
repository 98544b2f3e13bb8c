import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { added, countsOf, worstFirst } from '../../../src/ci/test-reports/counts.ts';
import { JunitReader } from '../../../src/ci/test-reports/junit.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const suite = (inner: string) => `<testsuite>${inner}</testsuite>`;

function read(pieces: readonly string[]) {
  const reader = new JunitReader();
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return reader.cases.map(({ name, status, system_output: said }) => [name, status, said]);
}

describe('reports of JUnit', () => {
  const a = ['a', 'success', null];
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['without a declaration', suite('<testcase name="a"/>'), [a]],
    ['with one', `${declaration}${suite('<testcase name="a"/>')}`, [a]],
    ['with one on a line of its own', `${declaration}\n${suite('<testcase name="a"/>')}\n`, [a]],
    [
      'one after the other',
      `${declaration}\n${suite('<testcase name="a"/>')}\n${declaration}${suite('<testcase name="b"><error/></testcase>')}`,
      [a, ['b', 'error', null]],
    ],
    [
      'that tell of declarations',
      `${declaration}${suite(`<testcase name="b"><failure><![CDATA[got ${declaration}<a/>]]></failure></testcase>`)}`,
      [['b', 'failed', `got ${declaration}<a/>`]],
    ],
    [
      'with messages',
      suite('<testcase name="b"><failure message="no"/></testcase><testcase name="c"><skipped/></testcase>'),
      [
        ['b', 'failed', 'no'],
        ['c', 'skipped', null],
      ],
    ],
  ];
  for (const [title, text, expected] of cases) {
    it(`are read ${title}, however they are cut`, () => {
      assert.deepEqual(read([text]), expected);
      assert.deepEqual(read([...text]), expected);
      for (let at = 1; at < text.length; at += 1) assert.deepEqual(read([text.slice(0, at), text.slice(at)]), expected);
    });
  }

  for (const text of ['<testsuite>', 'no < xml', '<?xml version="1.0"', `<${'?xml '.repeat(1000)}`, '<a></b>']) {
    it(`are refused where they are no XML: ${text.slice(0, 20)}`, () => {
      assert.throws(() => read([text]));
      assert.throws(() => read([...text]));
    });
  }
});

describe('figures of tests', () => {
  const one = (status: 'success' | 'failed' | 'error' | 'skipped', execution_time: number) => ({
    status,
    execution_time,
    name: status,
    classname: '',
    file: null,
    system_output: null,
    stack_trace: null,
  });
  const all = [one('success', 0.1), one('skipped', 0), one('failed', 0.2), one('error', 1), one('failed', 3)];

  it('are those of the parts together', () => {
    assert.deepEqual(added([countsOf(all.slice(0, 2)), countsOf(all.slice(2))]), countsOf(all));
    assert.deepEqual(added([]), countsOf([]));
    assert.equal(countsOf(all).time, 4.3);
  });

  it('stand behind what failed', () => {
    assert.deepEqual(
      worstFirst(all).map(({ status, execution_time }) => [status, execution_time]),
      [
        ['failed', 0.2],
        ['failed', 3],
        ['error', 1],
        ['skipped', 0],
        ['success', 0.1],
      ],
    );
  });
});
