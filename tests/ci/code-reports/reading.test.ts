import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CoberturaReader, JacocoReader } from '../../../src/ci/code-reports/coverage.ts';
import { problemsIn } from '../../../src/ci/code-reports/problems.ts';

type Reader = CoberturaReader | JacocoReader;

function read(reader: Reader, pieces: readonly string[]) {
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return Object.fromEntries([...reader.files].map(([path, lines]) => [path, Object.fromEntries(lines)]));
}

const cobertura = (
  source: string,
  filename: string,
  lines = '<line number="1" hits="2"/><line number="3" hits="0"/>',
) =>
  `<?xml version="1.0" ?>\n<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n<coverage line-rate="0.5"><sources><source>${source}</source></sources><packages><package name="x"><classes><class name="a" filename="${filename}"><methods><method name="m"><lines/></method></methods><lines>${lines}</lines></class></classes></package></packages></coverage>\n`;

describe('coverage report parsers', () => {
  const requested = new Set(['src/a.js', 'lib/b.rb']);
  const reader = () => new CoberturaReader(requested, 'group/sub/project');
  const expected = { 'src/a.js': { 1: 2, 3: 0 } };
  const cases: readonly (readonly [title: string, source: string, filename: string, found: object])[] = [
    ['a path below the project', '.', 'src/a.js', expected],
    ['the folder that the job ran in', '/builds/group/sub/project', 'src/a.js', expected],
    ['a folder below the build folder', '/builds/group/sub/project/src', 'a.js', expected],
    ['a file by its absolute path', '', '/home/runner/builds/0/group/sub/project/src/a.js', expected],
    ['a relative source folder', 'src', './a.js', expected],
    ['backslashes', 'C:\\x', 'src\\a.js', expected],
    ['a file that was not requested', '.', 'src/other.js', {}],
    ['a path outside the project', '.', '../../src/../../src/a.js', {}],
  ];
  for (const [title, source, filename, found] of cases) {
    it(`resolve ${title}`, () => assert.deepEqual(read(reader(), [cobertura(source, filename)]), found));
  }

  it('accept input split at any position and concatenated documents', () => {
    const text = cobertura('.', 'src/a.js') + cobertura('.', 'lib/b.rb', '<line number="7" hits="1"/>');
    const both = { ...expected, 'lib/b.rb': { 7: 1 } };
    assert.deepEqual(read(reader(), [...text]), both);
    for (let at = 1; at < text.length; at += 7) {
      assert.deepEqual(read(reader(), [text.slice(0, at), text.slice(at)]), both);
    }
  });

  it('sum the hits of several classes and ignore invalid numbers', () => {
    const lines =
      '<line number="1" hits="1"/><line number="x" hits="1"/><line number="2" hits="-1"/><line number="0" hits="1"/>';
    const text = cobertura('.', 'src/a.js', lines);
    assert.deepEqual(read(reader(), [text, text]), { 'src/a.js': { 1: 2 } });
  });

  it('match JaCoCo files by package', () => {
    const text =
      '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x"><package name="org/tea"><class name="org/tea/Cup"/><sourcefile name="Cup.java"><line nr="3" mi="0" ci="4" mb="0" cb="0"/><line nr="4" mi="2" ci="0"/></sourcefile><sourcefile name="Pot.java"><line nr="1" mi="0" ci="1"/></sourcefile></package></report>';
    const found = read(new JacocoReader(new Set(['app/src/main/java/org/tea/Cup.java', 'xorg/tea/Pot.java'])), [text]);
    assert.deepEqual(found, { 'app/src/main/java/org/tea/Cup.java': { 3: 4, 4: 0 } });
  });

  for (const text of [
    '<coverage>',
    'no < xml',
    '<!DOCTYPE x [<!ENTITY a "aa">]><coverage/>',
    '<coverage>&a;</coverage>',
  ]) {
    it(`reject malformed XML and entities: ${text}`, () => assert.throws(() => read(reader(), [text])));
  }
});

describe('code quality report parser', () => {
  const problem = { path: 'a.js', line: 3, severity: 'major', description: 'bad', check_name: null, fingerprint: null };
  const issue = (location: object, more: object = {}) => ({ description: 'bad', severity: 'major', location, ...more });
  const cases: readonly (readonly [title: string, report: unknown, expected: unknown])[] = [
    ['lines', [issue({ path: 'a.js', lines: { begin: 3 } })], [problem]],
    ['nested lines', [issue({ path: './a.js', lines: { begin: { line: 3 } } })], [problem]],
    ['positions', [issue({ path: 'a.js', positions: { begin: { line: 3, column: 1 } } })], [problem]],
    ['no line', [issue({ path: 'a.js' })], [{ ...problem, line: 1 }]],
    [
      'an unknown severity',
      [issue({ path: 'a.js', lines: { begin: 3 } }, { severity: 'huge' })],
      [{ ...problem, severity: 'unknown' }],
    ],
    [
      'malformed issues',
      [null, 1, {}, { description: 'x' }, issue({ path: 1 }), issue({ path: 'a', lines: { begin: 0 } })],
      [],
    ],
  ];
  for (const [title, report, expected] of cases) {
    it(`reads a report with ${title}`, () => assert.deepEqual(problemsIn(report), expected));
  }
  it('rejects a report that is not a list', () => assert.throws(() => problemsIn({ issues: [] })));
});
