import assert from 'node:assert/strict';

/** Texts that would run something, or break out of where they stand, on a page that does not escape them. */
export const hostile = {
  element: 'marker1 <img src=x onerror=alert(1)><script>alert(1)</script>',
  attribute: `marker2 "><svg/onload=alert(2)> ' onmouseover='alert(2)`,
  markdown:
    'marker3 [go](javascript:alert(3)) <a href="javascript:alert(3)" onclick="alert(3)">x</a> <iframe src="//evil.example"></iframe>',
  comment: 'marker4 --><script>alert(4)</script><!-- ]]> </textarea></title></pre><script>alert(4)</script>',
};

/** Names of files and branches may have no spaces everywhere. */
export const hostileName = `m5"><img/src=x'onerror=alert(5)>.txt`;

const running =
  /<script(?! src="\/-\/assets\/)|<iframe|<object|<embed|<img[^>]*\sonerror|<[a-z]+[^<>]*[\s/"']on[a-z]+=|href="\s*javascript:|\sstyle="/i;

/** Nothing on the page came through as anything but text. */
export function assertHarmless(page: string, where: string): void {
  // What stands in attributes is text there: it is taken out before tags are looked for.
  const found = running.exec(page.replace(/<svg class="dot"[^>]*>/g, ''));
  const around = found ? page.slice(Math.max(0, found.index - 80), found.index + 160) : '';
  assert.equal(found, null, `${where}: ${around}`);
}
