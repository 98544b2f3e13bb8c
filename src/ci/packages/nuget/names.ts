const word = /^[A-Za-z0-9_][\w.+-]*$/;
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const version = new RegExp(`^(\\d+(?:\\.\\d+){0,3})(-${identifiers})?(?:\\+${identifiers})?$`);

/** Whether a string is a valid NuGet package ID. */
export function isNugetName(name: string): boolean {
  return name.length <= 100 && word.test(name) && !name.includes('..') && !name.endsWith('.');
}

/**
 * Normalizes a version: three numbers, or four if the last one is not zero, without build metadata. Undefined for an
 * invalid version.
 */
export function normalizedVersion(text: string): string | undefined {
  const [, numbers, before = ''] = (text.length <= 128 && version.exec(text)) || [];
  if (numbers === undefined) return undefined;
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  if (parts[3] === '0') parts.pop();
  return `${parts.join('.')}${before}`;
}

/** File name of a version, lowercase as NuGet requests it. */
export function nugetFile(name: string, normalized: string, kind: 'nupkg' | 'snupkg' = 'nupkg'): string {
  return `${name}.${normalized}.${kind}`.toLowerCase();
}

/** Strips the `.json` suffix that NuGet appends. */
export function withoutJson(document: string): string {
  return document.replace(/\.json$/, '');
}
