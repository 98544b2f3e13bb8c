import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countsOf, sumCounts, worstFirst } from '../../../src/ci/test-reports/counts.ts';
import { JunitReader } from '../../../src/ci/test-reports/junit.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const suite = (inner: string) => `<testsuite>${inner}</testsuite>`;

function read(pieces: readonly string[]) {
  const reader = new JunitReader();
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return reader.cases.map(({ name, status, system_output: said }) => [name, status, said]);
}

describe('JUnit reports', () => {
  const a = ['a', 'success', null];
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['without an XML declaration', suite('<testcase name="a"/>'), [a]],
    ['with an XML declaration', `${declaration}${suite('<testcase name="a"/>')}`, [a]],
    ['with an XML declaration on its own line', `${declaration}\n${suite('<testcase name="a"/>')}\n`, [a]],
    [
      'concatenated',
      `${declaration}\n${suite('<testcase name="a"/>')}\n${declaration}${suite('<testcase name="b"><error/></testcase>')}`,
      [a, ['b', 'error', null]],
    ],
    [
      'with XML declarations in CDATA',
      `${declaration}${suite(`<testcase name="b"><failure><![CDATA[got ${declaration}<a/>]]></failure></testcase>`)}`,
      [['b', 'failed', `got ${declaration}<a/>`]],
    ],
    [
      'with several failures, and what failed tests wrote',
      suite(
        '<system-out>of all</system-out>' +
          '<testcase name="b"><system-out>said <i>it</i></system-out><failure message="one"/><failure message="x">two</failure><system-err>oh</system-err></testcase>' +
          '<testcase name="c"><error/><system-err>why</system-err><system-out/></testcase>' +
          '<testcase name="a"><system-out>fine</system-out></testcase>' +
          '<testcase name="d"><skipped message="later"/><system-out>no</system-out></testcase>',
      ),
      [
        ['b', 'failed', 'one\n\ntwo\n\nSystem Out:\n\nsaid it\n\nSystem Err:\n\noh'],
        ['c', 'error', 'System Err:\n\nwhy'],
        a,
        ['d', 'skipped', 'later'],
      ],
    ],
    [
      'with messages and skipped tests',
      suite('<testcase name="b"><failure message="no"/></testcase><testcase name="c"><skipped/></testcase>'),
      [
        ['b', 'failed', 'no'],
        ['c', 'skipped', null],
      ],
    ],
  ];
  for (const [title, text, expected] of cases) {
    it(`are parsed ${title}, in chunks of any size`, () => {
      assert.deepEqual(read([text]), expected);
      assert.deepEqual(read([...text]), expected);
      for (let at = 1; at < text.length; at += 1) assert.deepEqual(read([text.slice(0, at), text.slice(at)]), expected);
    });
  }

  for (const text of ['<testsuite>', 'no < xml', '<?xml version="1.0"', `<${'?xml '.repeat(1000)}`, '<a></b>']) {
    it(`are rejected if they are not well-formed XML: ${text.slice(0, 20)}`, () => {
      assert.throws(() => read([text]));
      assert.throws(() => read([...text]));
    });
  }
});

describe('test counts', () => {
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

  it('add up the counts of the parts', () => {
    assert.deepEqual(sumCounts([countsOf(all.slice(0, 2)), countsOf(all.slice(2))]), countsOf(all));
    assert.deepEqual(sumCounts([]), countsOf([]));
    assert.equal(countsOf(all).time, 4.3);
  });

  it('sort tests by severity', () => {
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
