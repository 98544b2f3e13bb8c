import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchingSectionEntry, ownedParts } from '../../../src/code/code-owners/match.ts';
import { parseCodeOwners } from '../../../src/code/code-owners/parse.ts';
import { matchesOwnerPattern, ownerPattern } from '../../../src/code/code-owners/pattern.ts';

describe('CODEOWNERS patterns', () => {
  const table: readonly [pattern: string, path: string, matches: boolean][] = [
    ['*', 'README.md', true],
    ['*', 'deep/down/here.rb', true],
    ['*', '.hidden', true],
    ['*.rb', 'lib/a.rb', true],
    ['/*.rb', 'lib/a.rb', false],
    ['README.md', 'docs/README.md', true],
    ['/README.md', 'docs/README.md', false],
    ['/docs/', 'docs/a/b.md', true],
    ['/docs/', 'lib/docs/b.md', false],
    ['docs/', 'lib/docs/b.md', true],
    ['/docs', 'docs/a.md', false],
    ['/docs/*', 'docs/a.md', true],
    ['/docs/*', 'docs/a/b.md', false],
    ['docs/*.md', 'lib/docs/a.md', true],
    ['/docs/**/index.md', 'docs/index.md', true],
    ['/docs/**/index.md', 'docs/a/b/index.md', true],
    ['/docs/**', 'docs/a/b', true],
    ['/lib/[ab].rb', 'lib/b.rb', true],
    ['/lib/[ab].rb', 'lib/c.rb', false],
    ['/a file.txt', 'a file.txt', true],
    ['/grüße.txt', 'grüße.txt', true],
    ['/**/**/**/**/x', 'a/a/a/a/a/a/a/a/y', false],
  ];
  for (const [pattern, path, matches] of table) {
    it(`${pattern} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(matchesOwnerPattern(ownerPattern(pattern), path), matches);
    });
  }
});

describe('CODEOWNERS files', () => {
  /** The matching entry of each section for a path, as `section: pattern -> owners`. */
  const entriesFor = (text: string, path: string) =>
    parseCodeOwners(text).flatMap((section) => {
      const line = matchingSectionEntry(section, path);
      if (!line) return [];
      const { names, emails, levels } = line.owners;
      return `${section.name}: ${line.pattern} -> ${[...names, ...emails, ...levels].join(' ')}`;
    });

  const table: readonly [what: string, text: string, path: string, expected: readonly string[]][] = [
    ['use the last matching entry', '* @all\n*.rb @ruby\n', 'a.rb', ['codeowners: *.rb -> ruby']],
    [
      'use the last matching entry even if it is less specific',
      '*.rb @ruby\n* @all\n',
      'a.rb',
      ['codeowners: * -> all'],
    ],
    ['apply each section', '* @all\n[Docs]\n*.md @docs', 'a.md', ['codeowners: * -> all', 'Docs: *.md -> docs']],
    ['support default owners of a section', '[Docs] @team/writers\n*.md\n', 'a.md', ['Docs: *.md -> team/writers']],
    [
      'let an entry override the default owners',
      '[Docs] @writers\n*.md @me you@x.y',
      'a.md',
      ['Docs: *.md -> me you@x.y'],
    ],
    ['merge sections of the same name', '[Docs]\n* @a\n[DOCS] @b\n*.md', 'a.md', ['Docs: *.md -> b']],
    ['support exclusions', '* @a\n!/gen/', 'gen/x', []],
    ['apply exclusions regardless of their position', '!*.lock\n* @a', 'b/c.lock', []],
    ['apply exclusions to their section only', '* @a\n[B]\n* @b\n!*.md', 'x.md', ['codeowners: * -> a']],
    ['roles', '* @@maintainers @@developer @@nobody', 'x', ['codeowners: * -> 40 30']],
    ['support escaped spaces and hashes', 'a\\ b\\#c.txt @a', 'a b#c.txt', ['codeowners: a b#c.txt -> a']],
    ['support entries without owners', '* @a\n*.md\n', 'x.md', []],
    ['ignore comments and blank lines', '# * @a\n\n  \n* @b # @c\n', 'x', ['codeowners: * -> b']],
    ['ignore words that are not owners', '* hello @a !x', 'x', ['codeowners: * -> a']],
    ['distinguish bracket patterns from headers', '[ab].md @a', 'a.md', ['codeowners: [ab].md -> a']],
    ['Windows line ends', '* @a\r\n*.md @b\r\n', 'x.md', ['codeowners: *.md -> b']],
  ];
  for (const [what, text, path, expected] of table) it(what, () => assert.deepEqual(entriesFor(text, path), expected));

  it('parse optional sections and required approvals', () => {
    const of = (text: string) =>
      parseCodeOwners(text).map(({ name, optional, approvals }) => [name, optional, approvals]);
    assert.deepEqual(of('[A]\n^[B]\n[C][3] @x\n^[D][2]\n[E][0]\n[F][]\n[G][999]'), [
      ['A', false, 1],
      ['B', true, 1],
      ['C', false, 3],
      ['D', true, 2],
      ['E', false, 1],
      ['F', false, 1],
      ['G', false, 100],
    ]);
    assert.deepEqual(of('^[A]\n[a][2]'), [['A', false, 2]]);
  });

  it('return the entries that apply to any of many paths, once each', async () => {
    const sections = parseCodeOwners('* @a\n*.md @b\n*.rb @c\n[Docs]\n/docs/ @d\n');
    const paths = Array.from({ length: 30_000 }, (_, at) => (at % 2 ? `docs/${at}.md` : `lib/${at}.txt`));
    const parts = await ownedParts(sections, paths);
    assert.deepEqual(
      parts.map(({ section, pattern }) => [section.name, pattern]),
      [
        ['codeowners', '*'],
        ['codeowners', '*.md'],
        ['Docs', '/docs/'],
      ],
    );
  });
});
