import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFileOf, isPypiName, isPypiVersion, normalizedName } from '../../../src/ci/packages/pypi/names.ts';
import { type Link, simplePage } from '../../../src/ci/packages/pypi/page.ts';

const all = (rule: (text: string) => boolean, texts: readonly string[]) => texts.map((text) => rule(text));

describe('Python package names', () => {
  it('are normalized across spellings', () => {
    const spellings = ['My.Package', 'my-package', 'MY__package', 'my-_.package'];
    assert.deepEqual(new Set(spellings.map(normalizedName)), new Set(['my-package']));
    assert.deepEqual(all(isPypiName, ['a', 'a1', 'A.b_c-d', '0x']), Array(4).fill(true));
    const wrong = ['', '-a', 'a-', '.a', 'a b', 'a/b', '..', 'ä', 'x'.repeat(256)];
    assert.deepEqual(all(isPypiName, wrong), Array(wrong.length).fill(false));
  });

  it('have valid versions', () => {
    const right = [
      '1',
      '1.0',
      '2024.1.15',
      '1.0a1',
      '1.0.0-rc.1',
      '1!2.0',
      '1.0.post1',
      '1.0-1',
      '1.0.dev3',
      '1.0+local.1',
    ];
    assert.deepEqual(all(isPypiVersion, right), Array(right.length).fill(true));
    const wrong = ['', 'a', '1..0', '1.0+', '../1', '1.0/2', '1.0 ', '-1', `1${'.1'.repeat(200)}`];
    assert.deepEqual(all(isPypiVersion, wrong), Array(wrong.length).fill(false));
  });

  it('match the names of their files', () => {
    const right = [
      'my_package-1.0-py3-none-any.whl',
      'My.Package-1.0.tar.gz',
      'my-package-1.0.zip',
      'my_package-1.0+local-1-cp312-cp312-manylinux_2_17_x86_64.whl',
    ];
    assert.deepEqual(
      all((file) => isFileOf('my-package', file), right),
      Array(right.length).fill(true),
    );
    const wrong = [
      ...['my_package.whl', 'other-1.0.tar.gz', 'my_package-1.0.exe', '../my_package-1.0.zip', 'my_package-1.0/x.zip'],
      ...['my_package-1.0.zip\n', '', `my_package-${'1'.repeat(300)}.zip`, 'my_package-<b>.zip'],
    ];
    assert.deepEqual(
      all((file) => isFileOf('my-package', file), wrong),
      Array(wrong.length).fill(false),
    );
  });
});

describe('simple index page', () => {
  it('escapes user input', async () => {
    async function* links(): AsyncGenerator<Link> {
      yield { href: 'https://h/a?b&c#d', text: 'a"<b>', requiresPython: '>=3.8,<4' };
      yield { href: 'x', text: 'y', requiresPython: null };
    }
    const page = (await Array.fromAsync(simplePage('<t>', links()))).join('');
    assert.match(page, /<h1>&lt;t&gt;<\/h1>/);
    assert.ok(
      page.includes('<a href="https://h/a?b&amp;c#d" data-requires-python="&gt;=3.8,&lt;4">a&quot;&lt;b&gt;</a>'),
    );
    assert.ok(page.includes('<a href="x">y</a>'));
  });
});
