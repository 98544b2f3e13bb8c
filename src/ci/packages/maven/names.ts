export const digestNames = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type DigestName = (typeof digestNames)[number];

/** A parsed Maven path: a file of a package, or a digest of one. */
export interface MavenPath {
  /** Group ID with slashes for dots, followed by the artifact ID. */
  readonly name: string;
  /** Null for metadata about all versions of an artifact, or about the plugins of a group. */
  readonly version: string | null;
  readonly file: string;
  readonly digest?: DigestName;
}

const metadata = 'maven-metadata.xml';
const maxLength = 255;
const part = /^[A-Za-z0-9_][\w.+~@-]*$/;
const withDigest = new RegExp(`^(.+)\\.(${digestNames.join('|')})$`);

const isPart = (text: string) => text.length <= maxLength && part.test(text) && !text.includes('..');
const isSnapshot = (version: string) => /(?:^|-)SNAPSHOT$/.test(version);

/** Parses `group/artifact/version/file` and `group/artifact/maven-metadata.xml`; undefined for other paths. */
export function readMavenPath(rest: string): MavenPath | undefined {
  const parts = rest.split('/');
  if (!parts.every(isPart)) return undefined;
  const last = parts.pop() ?? '';
  const [, file = last, digest] = withDigest.exec(last) ?? [];
  const isOfAll = file === metadata && !isSnapshot(parts.at(-1) ?? '');
  const version = isOfAll ? null : (parts.pop() ?? null);
  const name = parts.join('/');
  if (name.length > maxLength || parts.length < (isOfAll ? 1 : 2)) return undefined;
  return { name, version, file, ...(digest !== undefined && { digest: digest as DigestName }) };
}
