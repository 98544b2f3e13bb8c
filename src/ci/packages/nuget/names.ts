const word = /^[A-Za-z0-9_][\w.+-]*$/;
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const version = new RegExp(`^(\\d+(?:\\.\\d+){0,3})(-${identifiers})?(?:\\+${identifiers})?$`);

/** Whether a text can be the id of a NuGet package. */
export function isNugetName(name: string): boolean {
  return name.length <= 100 && word.test(name) && !name.includes('..') && !name.endsWith('.');
}

/**
 * The version that all spellings of one stand for: three numbers, or four where the last is not zero, without what was
 * built. Undefined where it is none.
 */
export function normalizedVersion(text: string): string | undefined {
  const [, numbers, before = ''] = (text.length <= 128 && version.exec(text)) || [];
  if (numbers === undefined) return undefined;
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  if (parts[3] === '0') parts.pop();
  return `${parts.join('.')}${before}`;
}

/** The name of the file of a version, in small letters as NuGet asks for it. */
export function nugetFile(name: string, normalized: string, kind: 'nupkg' | 'snupkg' = 'nupkg'): string {
  return `${name}.${normalized}.${kind}`.toLowerCase();
}

/** What a document is called: NuGet puts `.json` behind it, people may leave it out. */
export function withoutJson(document: string): string {
  return document.replace(/\.json$/, '');
}
