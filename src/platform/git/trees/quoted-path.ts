const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/**
 * Decodes a path that git may have printed in double quotes with C escapes, and returns the index behind the closing
 * quote. Input and output are byte strings (latin1); undefined when the quoting is malformed.
 */
export function unquotePath(text: string): { path: string; end: number } | undefined {
  if (!text.startsWith('"')) return { path: text, end: text.length };
  let path = '';
  for (let i = 1; i < text.length; i++) {
    const char = text[i];
    if (char === '"') return { path, end: i + 1 };
    if (char !== '\\') {
      path += char;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(i + 1, i + 4));
    const code = octal ? Number.parseInt(octal[0], 8) : ESCAPES[text[i + 1] ?? ''];
    if (code === undefined) return undefined;
    path += String.fromCharCode(code);
    i += octal ? 3 : 1;
  }
  return undefined;
}
