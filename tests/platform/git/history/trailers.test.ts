import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseTrailers } from '../../../../src/platform/git/history/trailers.ts';
import fc from '../../../support/properties.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
after(() => work.remove());

const cases: [string, string, [string, string][]][] = [
  ['no trailers', 'Title\n\nBody', []],
  ['one trailer', 'Title\n\nChangelog: added', [['Changelog', 'added']]],
  [
    'several, with a repeated key',
    'Title\n\nText\n\nA: 1\nB: 2\nA: 3\n',
    [
      ['A', '1'],
      ['B', '2'],
      ['A', '3'],
    ],
  ],
  ['none in the title', 'Changelog: added', []],
  ['none directly under the title', 'Title\nChangelog: added', []],
  ['none in an earlier paragraph', 'Title\n\nA: 1\n\nText', []],
  ['none when a line is prose', 'Title\n\nA: 1\nprose here', []],
  ['next to prose when git generated one', 'T\n\nprose\nSigned-off-by: A <a@x>', [['Signed-off-by', 'A <a@x>']]],
  ['none when prose outweighs the one git generated', 'T\n\np\np\np\np\nSigned-off-by: A <a@x>', []],
  ['next to a cherry-pick line', 'T\n\nA: 1\n(cherry picked from commit 1)', [['A', '1']]],
  [
    'folded',
    'T\n\nA: 1\n  2\n\t3\nB: 4',
    [
      ['A', '1 2 3'],
      ['B', '4'],
    ],
  ],
  [
    'an empty value',
    'T\n\nA:\nB: 2',
    [
      ['A', ''],
      ['B', '2'],
    ],
  ],
  ['space before the colon', 'T\n\nA : 1', [['A', '1']]],
  ['a value with colons', 'T\n\nURL: http://x:80/', [['URL', 'http://x:80/']]],
  ['none for a key with a space', 'T\n\nA b: 1', []],
  ['trailing blank lines', 'T\n\nA: 1\n\n\n', [['A', '1']]],
  ['comments at the end', 'T\n\nA: 1\n   \n# note\n', [['A', '1']]],
  [
    'a comment between',
    'T\n\nA: 1\n# note\nB: 2\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['an empty message', '', []],
];

describe('trailers', () => {
  for (const [title, message, expected] of cases) {
    it(title, () =>
      assert.deepEqual(
        parseTrailers(message),
        expected.map(([key, value]) => ({ key, value })),
      ),
    );
  }

  it('are the same as those of git', () => {
    const line = fc.constantFrom(
      ...['', '', 'Title', 'A: 1', 'B-c: two words', 'prose here', ' folded', '\tfolded: x', 'Signed-off-by: A <a@x>'],
      ...[
        '(cherry picked from commit 123)',
        'Key :v',
        ': no key',
        'a b: c',
        'x:y',
        'A:',
        '-: dash',
        'é: no',
        '# note',
        '   ',
      ],
    );
    const messages = fc.sample(fc.array(line, { minLength: 1, maxLength: 9 }), { numRuns: 600, seed: 7 });
    const printed = printedTrailers(messages.map((lines) => lines.join('\n')));
    for (const [i, lines] of messages.entries()) {
      const ours = parseTrailers(lines.join('\n')).map(({ key, value }) => `${key}: ${value}`.trimEnd());
      assert.deepEqual(ours, printed[i], JSON.stringify(lines.join('\n')));
    }
  });
});

/** Returns the trailers that `git log` prints for commits with these messages. */
function printedTrailers(messages: string[]): string[][] {
  const commands = messages.map((message, i) => {
    const bytes = Buffer.byteLength(message);
    return `commit refs/heads/main\nmark :${i + 1}\ncommitter A <a@x> ${i} +0000\ndata ${bytes}\n${message}\n`;
  });
  work.gitWith({ input: commands.join('') }, 'fast-import', '--quiet');
  const out = work.git('log', '--reverse', '--format=%(trailers:only,unfold)%x00', 'main');
  const records = out.split('\0').slice(0, messages.length);
  return records.map((record) =>
    record
      .split('\n')
      .map((line) => line.trimEnd())
      .filter(Boolean),
  );
}
