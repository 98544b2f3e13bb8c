import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { includedPath, withIncludes } from '../../src/web/code/includes.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('included files', () => {
  const paths: readonly (readonly [from: string, named: string, path: string | undefined])[] = [
    ['README.md', 'a.md', 'a.md'],
    ['docs/README.md', 'a.md', 'docs/a.md'],
    ['docs/README.md', './in/a.md', 'docs/in/a.md'],
    ['docs/README.md', '../a.md', 'a.md'],
    ['docs/README.md', '/a.md', 'a.md'],
    ['docs/README.md', '"a b.md"', 'docs/a b.md'],
    ['docs/README.md', '../../a.md', undefined],
    ['docs/README.md', '/../a.md', undefined],
    ['README.md', '..', undefined],
    ['README.md', '.', undefined],
    ['README.md', 'docs/', undefined],
    ['README.md', 'https://a.example/a.md', undefined],
    ['README.md', '//a.example/a.md', undefined],
    ['README.md', ' ', undefined],
  ];
  for (const [from, named, path] of paths) {
    it(`resolve ${named} in ${from} to ${path}`, () => assert.equal(includedPath(from, named), path));
  }

  const asked: string[] = [];
  const expanded = (files: Record<string, string>) => {
    asked.length = 0;
    return withIncludes('a.md', files['a.md'] ?? '', async (path) => {
      asked.push(path);
      return files[path];
    });
  };
  const put = (...names: string[]) => names.map((name) => `::include{file=${name}}`).join('\n');

  it('replace their lines', async () => {
    const text = `one\n${put('b.md')}\ntwo ${put('b.md')}\n ${put('b.md')}\n${put('none.md')}\nthree\n`;
    const whole = await expanded({ 'a.md': text, 'b.md': 'B1\nB2\n' });
    assert.equal(whole, `one\nB1\nB2\ntwo ${put('b.md')}\n ${put('b.md')}\n${put('none.md')}\nthree\n`);
  });

  it('are not expanded recursively or too deeply', async () => {
    assert.equal(
      await expanded({ 'a.md': put('b.md'), 'b.md': `B\n${put('a.md', 'b.md')}` }),
      `B\n${put('a.md', 'b.md')}`,
    );
    const deep = { 'a.md': put('b.md'), 'b.md': put('c.md'), 'c.md': put('d.md'), 'd.md': put('e.md'), 'e.md': 'E' };
    assert.equal(await expanded(deep), put('e.md'));
  });

  it('are limited to ten files and half a megabyte', async () => {
    const many = Array.from({ length: 12 }, (_, at) => `${at}.md`);
    const files = Object.fromEntries(many.slice(1).map((name) => [name, name]));
    const whole = await expanded({ 'a.md': put(...many), ...files });
    assert.deepEqual([asked.length, whole.split('\n').filter((line) => line.startsWith('::')).length], [10, 3]);
    const large = 'x'.repeat(200_000);
    const three = await expanded({ 'a.md': put('b.md', 'c.md', 'd.md'), 'b.md': large, 'c.md': large, 'd.md': large });
    assert.ok(three.endsWith(put('d.md')));
    // A file that doubles itself on every level must stay within the limits.
    const repeated = Object.fromEntries(
      'abcd'.split('').map((name, at) => [`${name}.md`, put(`${'bcde'[at]}.md`, `${'bcde'[at]}.md`)]),
    );
    await expanded(repeated);
    assert.equal(asked.length, 10);
  });
});

forEachEngine((engine) => {
  describe('pages of files with includes', () => {
    let server: TestServer;
    let browser: Browser;

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const { id } = await server.must('POST /projects', { json: { name: 'book', visibility: 'private' } });
      const files: Record<string, string> = {
        'README.md':
          '# Book\n\n::include{file=parts/one.md}\n\n```\n::include{file=parts/code.txt}\n```\n\n::include{file=missing.md}\n',
        'parts/one.md': '**First** <script>alert(1)</script>\n\n::include{file=two.md}\n',
        'parts/two.md': 'Second\n',
        'parts/code.txt': 'let a = "<b>";\n',
      };
      const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
      await server.must(`POST /projects/${id}/repository/commits`, {
        json: { branch: 'main', commit_message: 'Begin', actions },
      });
    });

    it('render included files with sanitizing', async () => {
      for (const address of ['/root/book', '/root/book/-/blob/main/README.md']) {
        const { status, text } = await browser.open(address);
        assert.equal(status, 200, address);
        assert.match(text, /<strong>First<\/strong>/, address);
        assert.match(text, /<p dir="auto">Second<\/p>/);
        assert.match(text, /let a = (?:&quot;|")&lt;b&gt;/);
        assert.match(text, /::include\{file=missing\.md\}/);
        assert.doesNotMatch(text, /alert\(1\)<\/script>/);
      }
      assert.notEqual((await new Browser(server).open('/root/book/-/blob/main/README.md')).status, 200);
    });
  });
});
