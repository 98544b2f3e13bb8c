const word = '[A-Za-z0-9_][A-Za-z0-9_.+-]*';
const name = new RegExp(`^(?:@${word}/)?${word}$`);

/** Whether a string is a valid npm package name, with or without scope. */
export function isNpmName(text: string): boolean {
  return text.length <= 214 && name.test(text);
}

/** Whether a string is a valid tag. Anything that could be parsed as a version or version range is not. */
export function isNpmTag(text: string): boolean {
  return text.length <= 255 && /^[A-Za-z_][\w.-]*$/.test(text) && !/^[vx](?:\d|[.x]|$)/i.test(text);
}

/** Scope of a package name, without `@`. */
export function scopeOf(text: string): string | undefined {
  return /^@([^/]+)\//.exec(text)?.[1];
}

/** A parsed npm path: a package or one of its files. */
export interface NpmAddress {
  readonly name: string;
  readonly file?: string;
}

/** Parses `@scope/name` and `@scope/name/-/file`; undefined for other paths. */
export function readNpmAddress(rest: string): NpmAddress | undefined {
  const [own = '', file, ...more] = rest.split('/-/');
  if (!isNpmName(own) || file === '' || more.length > 0) return undefined;
  return file === undefined ? { name: own } : { name: own, file };
}

/** Parses the paths of `npm unpublish`: a package or file followed by `/-rev/` and a revision. */
export function readNpmRevision(rest: string): NpmAddress | undefined {
  const [, own] = /^(.+)\/-rev\/[^/]+$/.exec(rest) ?? [];
  return own === undefined ? undefined : readNpmAddress(own);
}

/** A parsed tag path: all tags of a package or one of them. */
export interface NpmTagAddress {
  readonly name: string;
  readonly tag?: string;
}

/** Parses `@scope/name/dist-tags` and `@scope/name/dist-tags/tag`. */
export function readNpmTagAddress(rest: string): NpmTagAddress | undefined {
  const [, own = '', tag] = /^((?:@[^/]+\/)?[^/@][^/]*)\/dist-tags(?:\/([^/]+))?$/.exec(rest) ?? [];
  if (!isNpmName(own)) return undefined;
  return tag === undefined ? { name: own } : { name: own, tag };
}
