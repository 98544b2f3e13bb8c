import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type RenderOptions,
  type ResolvedReference,
  readLine,
  readMarkdown,
  renderMarkdown,
} from '../../../src/planning/markdown/public.ts';

const url = 'https://forge.example';
const render = (text: string, options?: RenderOptions) => renderMarkdown(readMarkdown(text, url), options);
const repository = { webPath: '/g/p', filesPath: '/-/project/7', ref: 'feature/x', filePath: 'docs/index.md' };
const issue: ResolvedReference = { href: '/g/p/-/issues/1', text: '#1', title: 'A "title" <b>', id: 5, projectId: 7 };
const resolved = new Map([
  ['issue  1', issue],
  ['issue g/p 1', { ...issue, text: 'g/p#1' }],
  ['issue  8', { ...issue, text: '#8 (closed)', title: 'Done' }],
  ['user  ann', { href: '/ann', text: '@ann' }],
]);

describe('Markdown', () => {
  const cases: readonly (readonly [why: string, text: string, html: string])[] = [
    ['nothing', '', ''],
    ['a paragraph', 'foo', '<p dir="auto">foo</p>'],
    ['emphasis', '*a* **b** ~~c~~ `d`', '<p dir="auto"><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>'],
    ['a line break', 'a  \nb\nc', '<p dir="auto">a<br />\nb\nc</p>'],
    [
      'a table',
      '|a|b|\n|-|:-:|\n|1|2|',
      '<table dir="auto">\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="center">2</td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'headings with anchors',
      "# What's *new*?\n## 2\n## 2",
      '<h1 dir="auto"><a id="user-content-whats-new" class="anchor" href="#whats-new" aria-hidden="true"></a>What\'s <em>new</em>?</h1>\n' +
        '<h2 dir="auto"><a id="user-content-anchor-2" class="anchor" href="#anchor-2" aria-hidden="true"></a>2</h2>\n' +
        '<h2 dir="auto"><a id="user-content-anchor-2-1" class="anchor" href="#anchor-2-1" aria-hidden="true"></a>2</h2>',
    ],
    [
      'a table of contents',
      '[[_TOC_]]\n\n# A\n## B',
      '<ul class="section-nav"><li><a href="#a">A</a><ul><li><a href="#b">B</a></li></ul></li></ul>' +
        '<h1 dir="auto"><a id="user-content-a" class="anchor" href="#a" aria-hidden="true"></a>A</h1>\n' +
        '<h2 dir="auto"><a id="user-content-b" class="anchor" href="#b" aria-hidden="true"></a>B</h2>',
    ],
    [
      'only one table of contents',
      '[[_TOC_]]\n\n[TOC]\n\n# A',
      '<ul class="section-nav"><li><a href="#a">A</a></li></ul>' +
        '<p dir="auto">[TOC]</p>\n' +
        '<h1 dir="auto"><a id="user-content-a" class="anchor" href="#a" aria-hidden="true"></a>A</h1>',
    ],
    [
      'tasks',
      '- [ ] a\n- [x] b\n- [~] c\n- [d]',
      '<ul class="task-list" dir="auto">\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled /> a</li>\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked /> b</li>\n' +
        '<li class="task-list-item inapplicable"><input type="checkbox" class="task-list-item-checkbox" disabled data-inapplicable /> c</li>\n' +
        '<li>[d]</li>\n</ul>',
    ],
    [
      'code',
      '```ruby\nputs "<b>"\n```',
      '<pre class="code highlight js-syntax-highlight language-ruby" lang="ruby"><code>puts "&lt;b&gt;"\n</code></pre>',
    ],
    [
      'formulas',
      '```math\nx\n```\n\n$`a<b`$',
      '<pre class="code math js-render-math" data-math-style="display"><code>x\n</code></pre>\n' +
        '<p dir="auto"><code class="code math js-render-math" data-math-style="inline">a&lt;b</code></p>',
    ],
    [
      'formulas between dollar signs, but not prices',
      '$x^2$ for $5 to $10, $$a\nb$$ and \\$y$',
      '<p dir="auto"><code class="code math js-render-math" data-math-style="inline">x^2</code> for $5 to $10, ' +
        '<code class="code math js-render-math" data-math-style="display">a\nb</code> and $y$</p>',
    ],
    [
      'alerts',
      '> [!note]\n> Read *this*\n\n> [!WARNING] It <b> burns\n>\n> - a',
      '<div class="markdown-alert markdown-alert-note" dir="auto">\n<p class="markdown-alert-title">Note</p>\n' +
        '<p dir="auto">Read <em>this</em></p>\n</div>\n' +
        '<div class="markdown-alert markdown-alert-warning" dir="auto">\n<p class="markdown-alert-title">It &lt;b&gt; burns</p>\n' +
        '<ul dir="auto">\n<li>a</li>\n</ul>\n</div>',
    ],
    [
      'unknown alert types as quotes',
      '> [!constructor]\n> a',
      '<blockquote dir="auto">\n<p dir="auto">[!constructor]\na</p>\n</blockquote>',
    ],
    [
      'multiline quotes',
      '>>>\na\n\n```\n>>>\n```\n>>>\nb',
      '<blockquote dir="auto">\n<p dir="auto">a</p>\n' +
        '<pre class="code highlight js-syntax-highlight language-plaintext" lang="plaintext"><code>&gt;&gt;&gt;\n</code></pre>\n' +
        '</blockquote>\n<p dir="auto">b</p>',
    ],
    [
      'nested multiline quotes with an alert',
      '>>>>\n>>> [!tip]\na\n>>>\n>>>>',
      '<blockquote dir="auto">\n<div class="markdown-alert markdown-alert-tip" dir="auto">\n' +
        '<p class="markdown-alert-title">Tip</p>\n<p dir="auto">a</p>\n</div>\n</blockquote>',
    ],
    [
      'inline diffs',
      '{+ a **b** +} [- c -] {+ d\n+}',
      '<p dir="auto"><span class="idiff left right addition"> a <strong>b</strong> </span> ' +
        '<span class="idiff left right deletion"> c </span> {+ d\n+}</p>',
    ],
    [
      'color chips',
      '`#F00` `rgb(1, 2, 3)` `hsla(1,2%,3%,0.4)` `#12345` `red`',
      `<p dir="auto">${['#F00', 'rgb(1, 2, 3)', 'hsla(1,2%,3%,0.4)']
        .map(
          (color) =>
            `<code>${color}<span class="gfm-color_chip"><span style="background-color: ${color};"></span></span></code>`,
        )
        .join(' ')} <code>#12345</code> <code>red</code></p>`,
    ],
    [
      'images with a size',
      '![a](b.png){width=100 height=50%} ![a](b.png){onload=x}',
      '<p dir="auto"><img src="b.png" alt="a" width="100" height="50%" /> <img src="b.png" alt="a" />{onload=x}</p>',
    ],
    [
      'videos and audio',
      '![a"](b.mp4) ![c](d.ogg)',
      '<p dir="auto"><span class="media-container video-container">' +
        '<video src="b.mp4" controls preload="metadata" data-title="a&quot;" width="400"></video>' +
        '<a href="b.mp4" title="Download \'a&quot;\'">a"</a></span> <span class="media-container audio-container">' +
        '<audio src="d.ogg" controls preload="metadata" data-title="c"></audio>' +
        '<a href="d.ogg" title="Download \'c\'">c</a></span></p>',
    ],
    [
      'description lists',
      'One\n: a\n: *b*\nc\n\nTwo\n\n: d\n\nlast: e',
      '<dl>\n<dt>One</dt>\n<dd>a</dd>\n<dd><em>b</em>\nc</dd>\n<dt>Two</dt>\n<dd>d</dd>\n</dl>\n<p dir="auto">last: e</p>',
    ],
    [
      'code with language parameters',
      '```json:table\n{}\n```',
      '<pre class="code highlight js-syntax-highlight language-json" lang="json" data-lang-params="table"><code>{}\n</code></pre>',
    ],
    [
      'JSON tables',
      '```json:table\n{"caption": "<b>", "fields": [{"key": "a", "label": "A&B"}, "c"], "items": [{"a": "<i>", "c": [1]}, {"a": 2}]}\n```',
      '<table dir="auto">\n<caption>&lt;b&gt;</caption>\n<thead>\n<tr>\n<th>A&amp;B</th>\n<th>c</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>&lt;i&gt;</td>\n<td>[1]</td>\n</tr>\n<tr>\n<td>2</td>\n<td></td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'JSON tables with rows only',
      '```json:table\n{"items": [{"a": 1, "b": null}]}\n```',
      '<table dir="auto">\n<caption>Generated with JSON data</caption>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>1</td>\n<td></td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'sortable and filterable JSON tables with Markdown cells and plain headers',
      '```json:table\n{"filter": true, "markdown": true, "caption": "*b*", "fields": [{"key": "a", "label": "*A*", "sortable": true}, "c"], "items": [{"a": "**1** <script>x</script> | 2\\n\\n# n", "c": "`d`"}]}\n```',
      '<table data-table-filter="true" dir="auto">\n<caption><em>b</em></caption>\n<thead>\n<tr>\n<th data-sortable="true">*A*</th>\n<th>c</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td><strong>1</strong> &lt;script&gt;x&lt;/script&gt; | 2\n\n# n</td>\n<td><code>d</code></td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'JSON tables with invalid options',
      '```json:table\n{"filter": "true", "markdown": 1, "caption": 2, "fields": [{"key": "a", "sortable": "yes"}, 3], "items": [{"a": "*x*"}]}\n```',
      '<table dir="auto">\n<caption>Generated with JSON data</caption>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>*x*</td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'raw HTML tables without JSON table attributes',
      '<table data-table-filter="true"><tr><th data-sortable="true">a</th></tr></table>',
      '<table><tr><th>a</th></tr></table>',
    ],
    [
      'invalid JSON tables as code',
      '```json:table\n{"items": [1]}\n```',
      '<pre class="code highlight js-syntax-highlight language-json" lang="json" data-lang-params="table"><code>{"items": [1]}\n</code></pre>',
    ],
    [
      'diagrams',
      '```mermaid\ngraph TD\n```',
      '<pre class="code highlight js-syntax-highlight language-mermaid" lang="mermaid"><code class="js-render-mermaid">graph TD\n</code></pre>',
    ],
    [
      'front matter',
      '---\ntitle: x\n---\ntext',
      '<pre class="code highlight js-syntax-highlight language-yaml" lang="yaml" data-lang-params="frontmatter"><code>title: x\n</code></pre>\n<p dir="auto">text</p>',
    ],
    [
      'footnotes',
      'a[^1] b[^n]\n\n[^1]: One\n[^n]: Two',
      '<p dir="auto">a<sup class="footnote-ref"><a href="#fn-1" id="fnref-1">1</a></sup> b<sup class="footnote-ref"><a href="#fn-n" id="fnref-n">2</a></sup></p>\n' +
        '<section class="footnotes" data-footnotes><ol>\n' +
        '<li id="fn-1">\n<p dir="auto">One</p>\n<a href="#fnref-1" class="footnote-backref" aria-label="Back to reference 1">↩</a></li>\n' +
        '<li id="fn-n">\n<p dir="auto">Two</p>\n<a href="#fnref-n" class="footnote-backref" aria-label="Back to reference 2">↩</a></li>\n' +
        '</ol></section>',
    ],
    [
      'emoji',
      ':tada: :nope: `:tada:`',
      '<p dir="auto"><gl-emoji title="tada" data-name="tada">🎉</gl-emoji> :nope: <code>:tada:</code></p>',
    ],
    [
      'details',
      '<details open><summary>S</summary>\n\n**b**\n\n</details>',
      '<details open><summary>S</summary>\n<p dir="auto"><strong>b</strong></p>\n</details>',
    ],
    [
      'links',
      `https://a.example/x_y_ <${url}/g> [c](https://c.example "T")`,
      '<p dir="auto"><a href="https://a.example/x_y_" rel="nofollow noreferrer noopener" target="_blank">https://a.example/x_y_</a> ' +
        `<a href="${url}/g">${url}/g</a> ` +
        '<a href="https://c.example" title="T" rel="nofollow noreferrer noopener" target="_blank">c</a></p>',
    ],
    ['unresolved references', 'see #2, @bob and ~"x y"', '<p dir="auto">see #2, @bob and ~"x y"</p>'],
    [
      'references',
      'see #1, @ann',
      '<p dir="auto">see <a href="/g/p/-/issues/1" data-reference-type="issue" data-original="#1" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue">#1</a>, ' +
        '<a href="/ann" data-reference-type="user" data-original="@ann" class="gfm gfm-project_member">@ann</a></p>',
    ],
    [
      'a reference with its title',
      '#1+',
      '<p dir="auto"><a href="/g/p/-/issues/1" data-reference-type="issue" data-original="#1+" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue">A "title" &lt;b&gt; (#1)</a></p>',
    ],
    [
      'a link whose target is a reference',
      `[**one**](#1) [one](${url}/g/p/-/issues/1?a=b#c) [two](#2) [three](!3)`,
      '<p dir="auto"><a href="/g/p/-/issues/1" data-reference-type="issue" data-original="#1" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue" data-link="true"><strong>one</strong></a> ' +
        `<a href="${url}/g/p/-/issues/1?a=b#c" data-reference-type="issue" data-original="${url}/g/p/-/issues/1?a=b#c" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue" data-link="true">one</a> ` +
        '<a href="#2">two</a> <a href="!3">three</a></p>',
    ],
    [
      'a URL of this instance',
      `${url}/g/p/-/issues/1#note_9`,
      `<p dir="auto"><a href="/g/p/-/issues/1#note_9" data-reference-type="issue" data-original="${url}/g/p/-/issues/1#note_9" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue">g/p#1 (comment 9)</a></p>`,
    ],
    [
      'a URL of a tab of an item',
      `${url}/g/p/-/issues/1/designs#note_9`,
      `<p dir="auto"><a href="/g/p/-/issues/1/designs#note_9" data-reference-type="issue" data-original="${url}/g/p/-/issues/1/designs#note_9" data-project="7" data-issue="5" title="A &quot;title&quot; &lt;b&gt;" class="gfm gfm-issue">g/p#1 (designs, comment 9)</a></p>`,
    ],
  ];
  for (const [why, text, html] of cases) {
    it(`renders ${why}`, () => assert.equal(render(text, { resolved }), html));
  }

  it('shows titles of references with a plus, and of URLs too', () => {
    const shown = (text: string) =>
      [...render(text, { resolved }).matchAll(/>([^<]+)<\/a>/g)].map(([, words]) => words);
    assert.deepEqual(shown('#8 #8+ #8+s'), ['#8 (closed)', 'Done (#8 - closed)', 'Done (#8 - closed)']);
    const title = 'A "title" &lt;b&gt; (g/p#1)';
    assert.deepEqual(shown(`${url}/g/p/-/issues/1+ ${url}/g/p/-/work_items/1+s`), [title, title]);
  });

  it('renders plain Markdown only if requested', () => {
    const text = '- [ ] #1 :tada:';
    assert.equal(
      render(text, { resolved, gfm: false }),
      '<ul class="task-list" dir="auto">\n<li class="task-list-item">[ ] #1 :tada:</li>\n</ul>',
    );
  });

  it('renders a title without Markdown', () => {
    const title = renderMarkdown(readLine('*No* <b>#1</b> :tada: [x](y)', url), { resolved });
    assert.match(
      title,
      /^\*No\* &lt;b&gt;<a href="\/g\/p\/-\/issues\/1" .*>#1<\/a>&lt;\/b&gt; <gl-emoji .*>🎉<\/gl-emoji> \[x\]\(y\)$/,
    );
  });

  it('returns the references to resolve', () => {
    assert.deepEqual(readMarkdown('#1 and g/p!2 `#3`', url).references, [
      { type: 'issue', iid: 1 },
      { type: 'merge_request', path: 'g/p', iid: 2 },
    ]);
  });
});

describe('relative links', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  const cases: readonly (readonly [text: string, address: string])[] = [
    ['[a](b.md)', '/g/p/-/blob/feature/x/docs/b.md'],
    ['[a](./b.md#top)', '/g/p/-/blob/feature/x/docs/b.md#top'],
    ['[a](../README.md?x=1)', '/g/p/-/blob/feature/x/README.md?x=1'],
    ['[a](../../../etc/passwd)', '../../../etc/passwd'],
    ['![a](img/b.png)', '/g/p/-/raw/feature/x/docs/img/b.png'],
    ['<img src="b.png">', '/g/p/-/raw/feature/x/docs/b.png'],
    [`![a](/uploads/${secret}/f.png)`, `/-/project/7/uploads/${secret}/f.png`],
    [`[a](/uploads/${secret}/f.zip)`, `/-/project/7/uploads/${secret}/f.zip`],
    ['[a](/g/p/-/issues/1)', '/g/p/-/issues/1'],
    ['[a](#part)', '#part'],
    ['[a](?x)', '?x'],
    ['[a](mailto:a@b.co)', 'mailto:a@b.co'],
    ['[a](https://x.example/b.md)', 'https://x.example/b.md'],
  ];
  for (const [text, address] of cases) {
    it(`resolve ${text} to ${address}`, () => {
      assert.equal(/(?:href|src)="([^"]*)"/.exec(render(text, { repository }))?.[1], address);
    });
  }

  const rooted: readonly (readonly [text: string, address: string])[] = [
    ['[a](/CHANGES.md)', '/g/p/-/blob/feature/x/CHANGES.md'],
    ['![a](/img/b.png)', '/g/p/-/raw/feature/x/img/b.png'],
    ['[a](//x.example/b)', '//x.example/b'],
  ];
  for (const [text, address] of rooted) {
    it(`resolve ${text} to ${address} in a file, and are unchanged elsewhere`, () => {
      const addressIn = (html: string) => /(?:href|src)="([^"]*)"/.exec(html)?.[1];
      assert.equal(addressIn(render(text, { repository })), address);
      const { filePath, ...noFile } = repository;
      assert.equal(addressIn(render(text, { repository: noFile })), /\((.*)\)/.exec(text)?.[1]);
    });
  }

  const wiki = { webPath: '/g/p', filesPath: '/-/project/7', ref: 'main', wikiPage: 'guide/start' };
  const inWiki: readonly (readonly [text: string, address: string])[] = [
    ['[a](home)', '/g/p/-/wikis/home'],
    ['[a](/home#top)', '/g/p/-/wikis/home#top'],
    ['[a](./next)', '/g/p/-/wikis/guide/next'],
    ['[a](../home?x=1)', '/g/p/-/wikis/home?x=1'],
    ['[a](../../home)', '../../home'],
    ['![a](plan.png)', '/g/p/-/wikis/guide/plan.png'],
    [`![a](uploads/${secret}/f.png)`, `/g/p/-/wikis/uploads/${secret}/f.png`],
    ['[a](/g/p/-/issues/1)', '/g/p/-/issues/1'],
    ['[[Release notes]]', '/g/p/-/wikis/Release-notes'],
    ['[[words|guide/Next page#top]]', '/g/p/-/wikis/guide/Next-page#top'],
    ['[[plan.png]]', '/g/p/-/wikis/guide/plan.png'],
    ['[[x|https://x.example/b]]', 'https://x.example/b'],
  ];
  for (const [text, address] of inWiki) {
    it(`resolve ${text} to ${address} in a wiki page`, () => {
      assert.equal(/(?:href|src)="([^"]*)"/.exec(render(text, { repository: wiki }))?.[1], address);
    });
  }

  it('in double brackets are rendered only in wikis, and escaped', () => {
    assert.equal(render('[[Page]]', { repository }), '<p dir="auto">[[Page]]</p>');
    assert.equal(render('`[[Page]]`', { repository: wiki }), '<p dir="auto"><code>[[Page]]</code></p>');
    assert.equal(
      render('[[a < b|a"b]] [[javascript:x|javascript:alert(1)]]', { repository: wiki }),
      '<p dir="auto"><a href="/g/p/-/wikis/a%22b">a &lt; b</a> <a href="/g/p/-/wikis/javascript:alert(1)">javascript:x</a></p>',
    );
  });

  it('are unchanged without a repository', () => {
    assert.match(render('[a](b.md)'), /href="b.md"/);
    assert.match(render(`![a](/uploads/${secret}/f.png)`), /src="\/uploads\//);
  });
});
