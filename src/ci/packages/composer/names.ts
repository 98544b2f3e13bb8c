const name = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|--?)[a-z0-9]+)*$/;
const release =
  /^v?(\d{1,9}(?:\.\d{1,9}){0,2}(?:[.+_-]?(?:stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?\d+(?:[.-]\d+)*)?)?(?:[.-]?dev)?)$/i;
const numbered = /^v?(\d{1,9})(?:\.(\d{1,9}|[x*]))?(?:\.(\d{1,9}|[x*]))?(?:\.(?:\d{1,9}|[x*]))?$/i;
const maxLength = 255;

/** Whether a string is a valid Composer package name (`vendor/name`). */
export function isComposerName(text: string): boolean {
  return text.length <= maxLength && name.test(text);
}

/** Version for a tag; undefined if Composer would not parse it. */
export function versionOfTag(tag: string): string | undefined {
  return tag.length <= maxLength ? release.exec(tag)?.[1] : undefined;
}

/** Version for a branch: `1.x-dev` for numeric branches, otherwise `dev-` and the branch name. */
export function versionOfBranch(branch: string): string | undefined {
  if (branch.length > maxLength - 'dev-'.length) return undefined;
  const [, ...numbers] = numbered.exec(branch) ?? [];
  if (numbers[0] === undefined) return `dev-${branch}`;
  const end = numbers.findIndex((one) => one === undefined || /[x*]/i.test(one));
  const known = numbers.slice(0, end < 0 ? numbers.length : end);
  return `${known.join('.')}.x-dev`;
}

/** Whether a version belongs to a branch. Composer requests these separately. */
export function isDevVersion(version: string): boolean {
  return version.startsWith('dev-') || version.toLowerCase().endsWith('-dev');
}

/** A Composer 2 metadata request: the releases or the branches of a package. */
export interface MetadataRequest {
  readonly name: string;
  readonly dev: boolean;
}

/** Parses `vendor/name.json` and `vendor/name~dev.json`; undefined for other paths. */
export function readMetadataPath(rest: string): MetadataRequest | undefined {
  const [, own = '', dev] = /^([^~]*?)(~dev)?(?:\.json)?$/.exec(rest) ?? [];
  return isComposerName(own) ? { name: own, dev: dev !== undefined } : undefined;
}

/** Extracts the name from `vendor/name$digest.json`, as requested by Composer 1. */
export function readProviderPath(rest: string): string | undefined {
  const [, own = ''] = /^([^$]+)\$[0-9a-f]{1,128}(?:\.json)?$/.exec(rest) ?? [];
  return isComposerName(own) ? own : undefined;
}

/** Extracts the name from `vendor/name.zip`. */
export function readArchivePath(rest: string): string | undefined {
  const own = rest.replace(/\.zip$/, '');
  return isComposerName(own) ? own : undefined;
}
