const maxLength = 1024;

// The order matters: dates consist of numbers, and addresses of hexadecimal digits. Each pattern is linear or applied
// to truncated text.
const masks: readonly (readonly [RegExp, string])[] = [
  [/(?<!\w)(?:"[^"]*"|'[^']*'|`[^`]*`)(?!\w)/g, '<string>'],
  [/\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/gi, '<uuid>'],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, '<email>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g, '<date>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<address>'],
  [/(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\w:])/gi, '<address>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[a-f]*\d)[0-9a-f]{7,}\b/gi, '<hex>'],
  [/\d+(?:[.,]\d+)*/g, '<number>'],
];

/** Masks the parts of a text that vary between occurrences. */
export function maskText(text: string): string {
  return masks.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text.slice(0, maxLength));
}

/** Normalizes a path across deployments: strips query, content hashes, versions and the installation folder. */
export function stablePath(path: string): string {
  const [file = ''] = path.slice(0, maxLength).split(/[?#]/, 1);
  return file
    .replace(/^[a-z]:(?=[\\/])/i, '')
    .replaceAll('\\', '/')
    .replace(/^https?:\/\/[^/]*\//, '/')
    .replace(/^.*\/(?:site-packages|dist-packages|node_modules|gems)\//, '')
    .replace(/([._-])(?=[a-f]*\d)[0-9a-f]{7,}(?=\.\w+$)/i, '$1<hash>')
    .replace(/(?<=\/|^|[@-])v?\d+\.\d[\w.+-]*(?=\/)/g, '<version>');
}

/** Strips compiler-generated numbers from a function name. */
export function stableFunction(name: string): string {
  return name
    .replace(/\$\$Lambda.*$/, '$$$$Lambda')
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(/\$\d+/g, '$')
    .replace(/^(\{closure:.*):\d+\}$/s, '$1}');
}

/** Whether a function has a name; SDKs use these placeholders for anonymous functions. */
export function hasName(name: string | null | undefined): name is string {
  return name != null && !/^(?:\?|<unknown>|<lambda>|anonymous|(?:[\w.]+[. ])?<anonymous>)$|\{closure\}$/.test(name);
}
