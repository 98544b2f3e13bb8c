import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageAt, readPage, slugOf, writePage } from '../../../src/planning/wikis/page.ts';

describe('wiki pages', () => {
  const slugs: [string, string][] = [
    ['Home', 'Home'],
    [' Some page ', 'Some-page'],
    ['dir/Some page', 'dir/Some-page'],
    ['/a//b/', 'a/b'],
    ['../../etc/passwd', 'etc/passwd'],
    ['   ', ''],
  ];
  for (const [title, slug] of slugs) it(`${title} -> ${slug}`, () => assert.equal(slugOf(title), slug));

  it('are files with a known extension', () => {
    assert.deepEqual(pageAt('a/b.md'), { slug: 'a/b', format: 'markdown' });
    assert.deepEqual(pageAt('x.y.asciidoc'), { slug: 'x.y', format: 'asciidoc' });
    for (const path of ['picture.png', 'README', '.md', 'uploads/1/x.md', 'a.constructor']) {
      assert.equal(pageAt(path), undefined, path);
    }
  });

  it('may have front matter', () => {
    assert.deepEqual(readPage('---\ntitle: T\n---\nText'), { content: 'Text', frontMatter: { title: 'T' } });
    assert.deepEqual(readPage(writePage('Text', { title: 'a: b' })), {
      content: 'Text',
      frontMatter: { title: 'a: b' },
    });
    for (const text of ['---\n- a\n---\nText', '---\n{\n---\nText', 'Text', '---\na: &x [*x]\n---\n']) {
      assert.equal(readPage(text).content, text);
    }
  });
});
