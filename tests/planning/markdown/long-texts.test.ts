import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractReferences } from '../../../src/planning/markdown/document.ts';
import {
  htmlOf,
  mainThreadReading,
  mentionsIn,
  minLongTextLength,
  referencesOf,
} from '../../../src/planning/markdown/long-texts/read.ts';
import { maxNamed } from '../../../src/planning/markdown/long-texts/work.ts';
import { extractMentions } from '../../../src/planning/markdown/mentions.ts';
import { NeedsWorkerThread, readOnMainThread } from '../../../src/planning/markdown/parser.ts';
import { readMarkdown, renderMarkdown } from '../../../src/planning/markdown/render.ts';
import { taskCompletionStatus } from '../../../src/planning/task-list.ts';

const host = 'http://forge.example';
const line = 'See #1 and @ann, **loudly** <script>alert(1)</script>\n\n';
const long = line.repeat(Math.ceil((2 * minLongTextLength) / line.length));

describe('long texts', () => {
  it('give the same results as short ones', async () => {
    assert.deepEqual(await mentionsIn(long), extractMentions(long));
    assert.deepEqual(await referencesOf(long, host), extractReferences(long, { instanceUrl: host }));
    const resolved = new Map([['issue  1', { href: '/g/p/-/issues/1', text: '#1', title: 'One' }]]);
    const html = await htmlOf(long, host, { resolved });
    assert.equal(html, renderMarkdown(readMarkdown(long, host), { resolved }));
    assert.ok(html.includes('/g/p/-/issues/1') && !html.includes('<script'));
    assert.equal(await htmlOf(long, host, { resolved }), html);
    assert.ok(
      !(await htmlOf(long, host)).includes('/g/p/-/issues/1'),
      'the cached HTML depends on the resolved references',
    );
  });

  it('do not block the event loop', async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await htmlOf(`${line.repeat(4000)}once`, host);
    done = true;
    assert.ok(turns > 10, `${turns} turns of the event loop`);
  });

  const columns = (n: number, rows: number) => `|${'a|'.repeat(n)}\n|${'-|'.repeat(n)}\n${'x\n'.repeat(rows)}`;
  const costly = {
    'a table of many columns': columns(500, 5000),
    headings: '# a\n'.repeat(3000),
    boxes: '- [ ] @ann\n'.repeat(1400),
    brackets: '['.repeat(12_000),
  };
  for (const [name, text] of Object.entries(costly)) {
    it(`include short but expensive ones: ${name}`, async () => {
      assert.ok(text.length < minLongTextLength);
      assert.throws(() => readOnMainThread(() => extractReferences(text)), NeedsWorkerThread);
      assert.equal(await htmlOf(text, host), renderMarkdown(readMarkdown(text, host)));
      assert.deepEqual(await mentionsIn(`@ann\n\n${text}`), extractMentions(`@ann\n\n${text}`));
      // The step limit applies to a single text.
      assert.equal(extractReferences('#1').length, 1);
    });
  }

  it('do not include sixteen kilobytes of prose', () => {
    const prose =
      '## Why\n\nSee #12 and `code` by @ann, **loudly**: it is [said](https://a.example/b) that\n\n- one\n- two\n\n';
    assert.equal(
      readOnMainThread(() => extractReferences(prose.repeat(150).slice(0, minLongTextLength - 1))).length,
      2,
    );
  });

  it('with expensive mentions are deferred until after the transaction', () => {
    const boxes = costly.boxes;
    assert.throws(() => mainThreadReading.mentionsIn(boxes), NeedsWorkerThread);
    assert.throws(() => mainThreadReading.referencesOf(long, host), NeedsWorkerThread);
    assert.deepEqual(mainThreadReading.mentionsIn('@ann'), { names: ['ann'], addressed: ['ann'], all: false });
  });

  it('are limited in the number of names and references', async () => {
    const many = Array.from({ length: 2 * maxNamed }, (_, n) => `@user${n} group/project${n}#${n}\n`).join('');
    assert.ok(many.length > minLongTextLength);
    const { names, addressed } = await mentionsIn(many);
    assert.deepEqual([names.length, names[1], addressed.length], [maxNamed, 'user1', maxNamed]);
    assert.equal((await referencesOf(many, host)).length, maxNamed);
  });

  it('are given up when they are maliciously slow', async () => {
    for (const text of ['['.repeat(300_000), '- '.repeat(150_000), '<a '.repeat(100_000), '*a _b '.repeat(50_000)]) {
      assert.equal(typeof (await htmlOf(text, host)), 'string');
      assert.equal((await mentionsIn(`@ann ${text}`)).all, false);
    }
  });

  it('are processed one after another', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `${long}${n}`);
    const drawn = await Promise.all(texts.map((text) => htmlOf(text, host)));
    for (const [n, html] of drawn.entries()) assert.ok(html.includes(`${n}</p>`), `${n}`);
  });

  it('have their tasks counted', () => {
    const boxes = '- [x] done\n  1. [ ] open\n> - [~] neither\n```\n- [ ] code\n```\n[ ] plain\n';
    const text = boxes.repeat(1500);
    assert.deepEqual(taskCompletionStatus(text), { count: 3000, completed_count: 1500 });
    assert.deepEqual(taskCompletionStatus(boxes), { count: 2, completed_count: 1 });
    assert.deepEqual(taskCompletionStatus(costly.boxes), { count: 1400, completed_count: 0 });
  });
});
