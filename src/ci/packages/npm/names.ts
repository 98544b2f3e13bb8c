const word = '[A-Za-z0-9_][A-Za-z0-9_.+-]*';
const name = new RegExp(`^(?:@${word}/)?${word}$`);

/** Whether a text can be the name of an npm package, with a scope or without. */
export function isNpmName(text: string): boolean {
  return text.length <= 214 && name.test(text);
}

/** Whether a text can be a tag: whatever could be read as a version, or as a range of them, cannot. */
export function isNpmTag(text: string): boolean {
  return text.length <= 255 && /^[A-Za-z_][\w.-]*$/.test(text) && !/^[vx](?:\d|[.x]|$)/i.test(text);
}

/** The scope of a name, without its sign. */
export function scopeOf(text: string): string | undefined {
  return /^@([^/]+)\//.exec(text)?.[1];
}

/** What stands behind `/packages/npm/`: a package, or one of its files. */
export interface NpmAddress {
  readonly name: string;
  readonly file?: string;
}

/** Reads `@scope/name` and `@scope/name/-/file`; undefined for whatever else stands there. */
export function readNpmAddress(rest: string): NpmAddress | undefined {
  const [own = '', file, ...more] = rest.split('/-/');
  if (!isNpmName(own) || file === '' || more.length > 0) return undefined;
  return file === undefined ? { name: own } : { name: own, file };
}

/** Reads what `npm unpublish` changes: the address of a package or of a file of it, with `/-rev/` and a revision behind. */
export function readNpmRevision(rest: string): NpmAddress | undefined {
  const [, own] = /^(.+)\/-rev\/[^/]+$/.exec(rest) ?? [];
  return own === undefined ? undefined : readNpmAddress(own);
}

/** What stands behind `/packages/npm/-/package/`: the tags of a package, or one of them. */
export interface NpmTagAddress {
  readonly name: string;
  readonly tag?: string;
}

/** Reads `@scope/name/dist-tags` and `@scope/name/dist-tags/tag`. */
export function readNpmTagAddress(rest: string): NpmTagAddress | undefined {
  const [, own = '', tag] = /^((?:@[^/]+\/)?[^/@][^/]*)\/dist-tags(?:\/([^/]+))?$/.exec(rest) ?? [];
  if (!isNpmName(own)) return undefined;
  return tag === undefined ? { name: own } : { name: own, tag };
}
