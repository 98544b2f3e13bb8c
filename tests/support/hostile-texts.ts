import assert from 'node:assert/strict';

/** Texts that execute scripts or break the markup on pages that do not escape them. */
export const hostile = {
  element: 'marker1 <img src=x onerror=alert(1)><script>alert(1)</script>',
  attribute: `marker2 "><svg/onload=alert(2)> ' onmouseover='alert(2)`,
  markdown:
    'marker3 [go](javascript:alert(3)) <a href="javascript:alert(3)" onclick="alert(3)">x</a> <iframe src="//evil.example"></iframe>',
  comment: 'marker4 --><script>alert(4)</script><!-- ]]> </textarea></title></pre><script>alert(4)</script>',
};

/** Without spaces, as names of files and branches cannot always contain them. */
export const hostileName = `m5"><img/src=x'onerror=alert(5)>.txt`;

const elements: ReadonlySet<string> = new Set(['iframe', 'object', 'embed', 'base', 'style', 'frame']);

/** Asserts that hostile texts were escaped: the page contains no active elements or attributes. */
export function assertHarmless(page: string, where: string): void {
  for (const [tag, name = '', inside = ''] of page.matchAll(/<([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>/gi)) {
    // The favicon is the only data URL allowed.
    if (name === 'link' && /^ rel="icon" href="data:image\/svg\+xml,[^"]*"$/.test(inside)) continue;
    const attributes = inside.replaceAll(/"[^"]*"/g, '""');
    const ours =
      name === 'script'
        ? /^ src="\/-\/assets\/[\w.-]+" data-turbo-track="reload"$/.test(inside)
        : !elements.has(name.toLowerCase());
    assert.ok(ours, `${where}: ${tag}`);
    assert.doesNotMatch(attributes, /[\s/"']on[a-z]+\s*=|[\s/"']style\s*=/i, `${where}: ${tag}`);
    assert.doesNotMatch(inside, /(href|src|action)="\s*(javascript|data):/i, `${where}: ${tag}`);
  }
  // Any bracket left after removing the tags was not escaped.
  assert.doesNotMatch(page.replaceAll(/<!doctype html>|<\/?[a-z][a-z0-9]*(?:[^<>"]|"[^"]*")*>/gi, ''), /[<>]/, where);
}
