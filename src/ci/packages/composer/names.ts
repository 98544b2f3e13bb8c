const name = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|--?)[a-z0-9]+)*$/;
const release =
  /^v?(\d{1,9}(?:\.\d{1,9}){0,2}(?:[.+_-]?(?:stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?\d+(?:[.-]\d+)*)?)?(?:[.-]?dev)?)$/i;
const numbered = /^v?(\d{1,9})(?:\.(\d{1,9}|[x*]))?(?:\.(\d{1,9}|[x*]))?(?:\.(?:\d{1,9}|[x*]))?$/i;
const longest = 255;

/** Whether a text is the name of a package as Composer has them: a vendor, and a name of theirs. */
export function isComposerName(text: string): boolean {
  return text.length <= longest && name.test(text);
}

/** The version that a tag stands for; undefined where Composer would read none in it. */
export function versionOfTag(tag: string): string | undefined {
  return tag.length <= longest ? release.exec(tag)?.[1] : undefined;
}

/** The version that a branch stands for: `1.x-dev` for one named after versions, and else `dev-` and its name. */
export function versionOfBranch(branch: string): string | undefined {
  if (branch.length > longest - 'dev-'.length) return undefined;
  const [, ...numbers] = numbered.exec(branch) ?? [];
  if (numbers[0] === undefined) return `dev-${branch}`;
  const end = numbers.findIndex((one) => one === undefined || /[x*]/i.test(one));
  const known = numbers.slice(0, end < 0 ? numbers.length : end);
  return `${known.join('.')}.x-dev`;
}

/** Whether a version is that of a branch: Composer asks for those apart. */
export function isDevVersion(version: string): boolean {
  return version.startsWith('dev-') || version.toLowerCase().endsWith('-dev');
}

/** What Composer 2 asks for: the releases of a package, or its branches. */
export interface Asked {
  readonly name: string;
  readonly dev: boolean;
}

/** Reads `vendor/name.json` and `vendor/name~dev.json`; undefined for whatever else stands there. */
export function readMetadataPath(rest: string): Asked | undefined {
  const [, own = '', dev] = /^([^~]*?)(~dev)?(?:\.json)?$/.exec(rest) ?? [];
  return isComposerName(own) ? { name: own, dev: dev !== undefined } : undefined;
}

/** Reads the name out of `vendor/name$digest.json`, which Composer 1 asks for. */
export function readProviderPath(rest: string): string | undefined {
  const [, own = ''] = /^([^$]+)\$[0-9a-f]{1,128}(?:\.json)?$/.exec(rest) ?? [];
  return isComposerName(own) ? own : undefined;
}

/** Reads the name out of `vendor/name.zip`. */
export function readArchivePath(rest: string): string | undefined {
  const own = rest.replace(/\.zip$/, '');
  return isComposerName(own) ? own : undefined;
}
