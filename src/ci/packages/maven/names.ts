export const digestNames = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type DigestName = (typeof digestNames)[number];

/** What stands behind `/packages/maven/`: a file of a package, or a digest of one. */
export interface MavenPath {
  /** The group, its dots as slashes, and the artifact. */
  readonly name: string;
  /** Null for what Maven is told of all versions of an artifact, or of all plugins of a group. */
  readonly version: string | null;
  readonly file: string;
  readonly digest?: DigestName;
}

const metadata = 'maven-metadata.xml';
const longest = 255;
const part = /^[A-Za-z0-9_][\w.+~@-]*$/;
const withDigest = new RegExp(`^(.+)\\.(${digestNames.join('|')})$`);

const isPart = (text: string) => text.length <= longest && part.test(text) && !text.includes('..');
const isSnapshot = (version: string) => /(?:^|-)SNAPSHOT$/.test(version);

/** Reads `group/artifact/version/file`, and `group/artifact/maven-metadata.xml`; undefined for whatever else stands there. */
export function readMavenPath(rest: string): MavenPath | undefined {
  const parts = rest.split('/');
  if (!parts.every(isPart)) return undefined;
  const last = parts.pop() ?? '';
  const [, file = last, digest] = withDigest.exec(last) ?? [];
  const isOfAll = file === metadata && !isSnapshot(parts.at(-1) ?? '');
  const version = isOfAll ? null : (parts.pop() ?? null);
  const name = parts.join('/');
  if (name.length > longest || parts.length < (isOfAll ? 1 : 2)) return undefined;
  return { name, version, file, ...(digest !== undefined && { digest: digest as DigestName }) };
}
