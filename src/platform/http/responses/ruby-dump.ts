/** Validation errors by attribute. */
export type ErrorMap = Readonly<Record<string, readonly string[]>>;

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

const special = /["\\]|\p{Cc}|#(?=[{$@])/gu;

function inspect(text: string): string {
  const escaped = text.replace(special, (found) => {
    if (found === '#') return '\\#';
    return escapes[found] ?? `\\x${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

const symbol = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? `:${key}` : `:${inspect(key)}`);

/**
 * The Ruby hash notation in which a few documented messages list their errors: `{:path=>["has already been taken"]}`.
 */
export function rubyDump(errors: ErrorMap): string {
  const pairs = Object.entries(errors).map(([key, texts]) => `${symbol(key)}=>[${texts.map(inspect).join(', ')}]`);
  return `{${pairs.join(', ')}}`;
}
