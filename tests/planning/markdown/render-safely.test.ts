import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_STEPS } from '../../../src/planning/markdown/parser.ts';
import { readMarkdown, renderMarkdown } from '../../../src/planning/markdown/public.ts';

const url = 'https://forge.example';
const render = (text: string, resolved = new Map()) => renderMarkdown(readMarkdown(text, url), { resolved });

/** The tags of an HTML text with their attributes; `<` in text is always escaped and does not match. */
function tagsIn(html: string) {
  return [...html.matchAll(/<([^>]*)>/g)].map(([, inside = '']) => {
    const name = /^\/?([a-z0-9-]*)/.exec(inside)?.[1] ?? '';
    const attributes = [...inside.matchAll(/\s([^\s=]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => ({
      key,
      value,
    }));
    return { name, attributes };
  });
}

const harmful = new Set(
  'script style iframe object embed form button svg math meta link base textarea select template frame'.split(' '),
);

function assertHarmless(html: string): void {
  for (const { name, attributes } of tagsIn(html)) {
    assert.ok(!harmful.has(name), `a tag ${name} in ${html}`);
    for (const { key, value } of attributes) {
      assert.ok(!/^on|^style$|^srcdoc$|^formaction$|^xlink/i.test(key), `an attribute ${key} in ${html}`);
      if (key === 'href' || key === 'src' || key === 'cite') {
        const plain = value.replace(/&#x?[0-9a-f]+;?|&(?:tab|newline|colon);/gi, '').replace(/[\s\p{Cc}]/gu, '');
        assert.ok(
          !/^(?:javascript|vbscript|data|file|blob|view-source)/i.test(plain),
          `an address ${value} in ${html}`,
        );
      }
      if (name === 'input' && key === 'type') assert.equal(value, 'checkbox');
    }
  }
}

const corpus = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://x.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  'a <script>alert(1)</script> b',
  '<script\n>alert(1)</script\n>',
  '<script/x>alert(1)</script>',
  '<script>',
  '<<script>alert(1)//<</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" OnErRoR="alert(1)">',
  '<img src=`javascript:alert(1)`>',
  '<img """><script>alert(1)</script>">',
  '<img src=x:x onerror\n=\nalert(1)>',
  '<img/src="x"/onerror=alert(1)>',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="x" style="position:fixed;inset:0">x</a>',
  '<a href="x" onclick=alert(1) onmouseover="alert(2)">x</a>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<iframe src="https://x.example"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="x"></object><embed src="x">',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<form action="https://x.example"><input name=a><button formaction=javascript:alert(1)>x</button></form>',
  '<input type="image" src="x" onerror=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<style>*{display:none}</style>',
  '<style>@import "https://x.example/x.css";</style>',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="https://x.example/">',
  '<link rel=stylesheet href=https://x.example/x.css>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '<!--[if IE]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php echo "<script>alert(1)</script>"; ?>',
  '<!DOCTYPE html><script>alert(1)</script>',
  '<details ontoggle=alert(1) open>x</details>',
  '<video src=x onerror=alert(1)></video><audio src=x onerror=alert(1)>',
  '<xmp><script>alert(1)</script></xmp>',
  '<plaintext><script>alert(1)</script>',
  '<template><script>alert(1)</script></template>',
  '<b title="a" title="\'><script>alert(1)</script>">x</b>',
  '<p class="gfm" id="x" data-x="y" name="z">x</p>',
  '[x](javascript:alert(1))',
  '[x](<java script:alert(1)>)',
  '[x](JAVASCRIPT&colon;alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '[x](file:///etc/passwd)',
  '[x]\n\n[x]: javascript:alert(1)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x](data:image/png;base64,iVBORw0KGgo=)',
  '<javascript:alert(1)>',
  '[x](https://x.example "a\\" onmouseover=\\"alert(1)")',
  '![a" onerror="alert(1)](x.png)',
  '`</code><script>alert(1)</script>`',
  '```"><script>alert(1)</script>\nx\n```',
  '```x" onclick="alert(1)\nx\n```',
  '    </pre><script>alert(1)</script>',
  '# <script>alert(1)</script>\n\n[[_TOC_]]',
  '# " onclick="alert(1)',
  '[^"><script>]: x\n\n[^"><script>]',
  '|<script>alert(1)</script>|\n|-|\n|<img src=x onerror=alert(1)>|',
  '~"<script>alert(1)</script>" @<b> %"<img src=x onerror=alert(1)>"',
  '- [ ] <img src=x onerror=alert(1)>',
  '> [!note] <img src=x onerror=alert(1)>\n> <script>alert(1)</script>',
  '>>>\n<script>alert(1)</script>\n>>>',
  '{+ <script>alert(1)</script> +} [- <img src=x onerror=alert(1)> -]',
  '$<script>alert(1)</script>$ $$<img src=x onerror=alert(1)>$$',
  '`#fff;background:url(javascript:alert(1))`',
  '<span style="background-color: #fff; position: fixed;">x</span>',
  '![x" onerror="alert(1)](x.mp4) ![x](javascript:alert(1).mp4)',
  '![x](x.png){width=1 onerror=alert(1)}',
  '<b>\n: <script>alert(1)</script>',
  '$`</code><script>alert(1)</script>`$',
  '---\n</code><script>alert(1)</script>\n---\n',
  '</p></div></section><script>alert(1)</script>',
  '\u0000<script>alert(1)</script>',
  '<a\u0000 href="javascript:alert(1)">x</a>',
];

describe('safe rendering of Markdown', () => {
  for (const text of corpus) it(JSON.stringify(text), () => assertHarmless(render(text)));

  it('holds for any two of these texts combined', () => {
    for (const [at, text] of corpus.entries()) {
      const other = corpus[(at * 31 + 7) % corpus.length] ?? '';
      assertHarmless(render(`${text}${other}`));
      assertHarmless(render(`> ${text}\n\n- ${other}`));
    }
  });

  it('holds for any resolved reference', () => {
    const nasty = '"><script>alert(1)</script>';
    const html = render('#1', new Map([['issue  1', { href: `javascript:${nasty}`, text: nasty, title: nasty }]]));
    assertHarmless(html);
    assert.match(html, /&lt;script&gt;/);
  });

  it('removes class, id and data attributes of raw HTML', () => {
    assert.equal(render('<p class="gfm" id="x" data-x="y" name="z">x</p>'), '<p>x</p>');
  });

  it('closes open tags and removes unmatched end tags', () => {
    assert.equal(render('<div><b>x'), '<div><b>x</b></div>');
    assert.equal(render('</div></div>\n\nx'), '<p dir="auto">x</p>');
  });
});

describe('maliciously slow Markdown', () => {
  // Each of these texts exceeds the step limit and is rendered verbatim.
  for (const piece of [
    '[',
    '![',
    '*a_',
    '[]',
    '|a|\n|-|\n',
    '- a\n\n',
    '[^1]',
    '{+',
    '$a',
    'a\n: b\n\n',
    '>>> [!note]\n',
  ]) {
    it(`renders repeated ${JSON.stringify(piece)} verbatim`, () => {
      const text = piece.repeat(MAX_STEPS + 1).slice(0, 1_000_000);
      const document = readMarkdown(text, url);
      assert.equal(document.tokens, undefined);
      const html = renderMarkdown(document);
      assert.ok(html.startsWith('<pre class="code">') && html.length <= 6 * text.length + 100);
    });
  }

  // These are cut by the nesting limit, or cheap for their size.
  const flat: readonly (readonly [string, number])[] = [
    ['>', 10_000],
    ['> ', 10_000],
    ['- ', 10_000],
    ['<div>', 10_000],
    ['<!--', 10_000],
    ['```\n', 5_000_000],
    ['x <?', 3_000_000],
    [' ', 200_000],
    ['`a``b', 3_000_000],
  ];
  for (const [piece, length] of flat) {
    it(`renders repeated ${JSON.stringify(piece)} to at most ${length} characters of HTML`, () => {
      const html = render(`${piece.repeat(100_000)}a`);
      assert.ok(html.length <= length, `${html.length}`);
      assertHarmless(html.slice(0, 10_000));
    });
  }

  it('is not parsed beyond a megabyte', () => {
    assert.equal(readMarkdown('a'.repeat(1_048_577), url).tokens, undefined);
    assert.ok(readMarkdown('a'.repeat(1_048_576), url).tokens !== undefined);
  });

  it('has a limit that long prose does not reach', () => {
    const prose = 'The *quick* brown fox [jumps](https://x.example) over #1.\n\n'.repeat(5_000);
    assert.ok(readMarkdown(prose, url).tokens !== undefined);
  });
});
