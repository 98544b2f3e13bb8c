import { SpooledText } from '../../../platform/http/bodies/upload.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { isSemver } from '../rules.ts';
import { isNpmTag } from './names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of `package.json` needed for installation or shown to users. Other fields are only in the tarball. */
const storedFields = [
  ...['description', 'keywords', 'license', 'author', 'contributors', 'maintainers', 'homepage', 'repository', 'bugs'],
  ...['type', 'main', 'bin', 'directories', 'engines', 'os', 'cpu', 'libc', 'funding'],
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'peerDependenciesMeta'],
  ...['bundleDependencies', 'bundledDependencies', 'acceptDependencies', '_hasShrinkwrap'],
] as const;
const maxManifestLength = 20_000;
const maxWarningLength = 1024;

/** A version as published by npm. */
export interface Publication {
  readonly version: string;
  /** JSON. */
  readonly manifest: string;
  readonly deprecated: string | null;
  readonly tags: readonly string[];
  /** The tarball, in base64. */
  readonly data: string | SpooledText;
}

function hash(value: unknown): Fields | undefined {
  const plain = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SpooledText);
  return plain ? (value as Fields) : undefined;
}

/** Parses the document sent by `npm publish`: one version of the named package with one tarball in base64. */
export function readPublication(name: string, fields: Fields): Publication {
  const versions = Object.entries(hash(fields.versions) ?? {});
  const [version = '', own] = versions[0] ?? [];
  const about = hash(own);
  if (versions.length !== 1 || !about) throw new BadRequest('versions must hold one version');
  if (!isSemver(version) || about.version !== version) throw new BadRequest('Version is invalid');
  if ((fields.name ?? name) !== name || about.name !== name) throw new BadRequest('Name is invalid');
  const [attachment] = Object.values(hash(fields._attachments) ?? {});
  const data = hash(attachment)?.data;
  if (!(data instanceof SpooledText) && (typeof data !== 'string' || data === '')) {
    throw new BadRequest('Attachment data is empty.');
  }
  return { version, data, manifest: manifestOf(about), deprecated: warningIn(about), tags: tagsIn(fields, version) };
}

function tagsIn(fields: Fields, version: string): string[] {
  const tags = Object.entries(hash(fields['dist-tags']) ?? {});
  if (tags.some(([tag, of]) => !isNpmTag(tag) || of !== version)) throw new BadRequest('Tag is invalid');
  return tags.length === 0 ? ['latest'] : tags.map(([tag]) => tag);
}

function warningIn({ deprecated }: Fields): string | null {
  if (deprecated instanceof SpooledText || (typeof deprecated === 'string' && deprecated.length > maxWarningLength)) {
    throw new BadRequest(`deprecated is too long (maximum is ${maxWarningLength} characters)`);
  }
  return typeof deprecated === 'string' && deprecated !== '' ? deprecated : null;
}

const tooLarge = () =>
  new BadRequest(`Package json structure is too large. Maximum size is ${maxManifestLength} characters`);

function manifestOf(about: Fields): string {
  const stored = storedFields.flatMap((field) => (about[field] === undefined ? [] : [[field, about[field]]]));
  const scripts = hash(about.scripts) ?? {};
  const installs = ['preinstall', 'install', 'postinstall'].some((name) => typeof scripts[name] === 'string');
  if (installs) stored.push(['hasInstallScript', true]);
  // Strings spooled to disk exceed the limit by themselves.
  const text = JSON.stringify(Object.fromEntries(stored), (_key, value: unknown) => {
    if (value instanceof SpooledText) throw tooLarge();
    return value;
  });
  if (text.length > maxManifestLength) throw tooLarge();
  return text;
}

/** Parses the warnings sent by `npm deprecate`, which returns the whole document; an empty string removes a warning. */
export function readDeprecations(fields: Fields): Map<string, string | null> {
  const versions = Object.entries(hash(fields.versions) ?? {});
  if (versions.length === 0) throw new BadRequest('versions must hold one version');
  return new Map(
    versions.flatMap(([version, own]) => {
      const about = hash(own);
      return about?.deprecated === undefined ? [] : [[version, warningIn(about)] as const];
    }),
  );
}

/** Whether a document was sent by `npm deprecate`: it has no attachments. */
export function isDeprecation(fields: Fields): boolean {
  return fields._attachments === undefined;
}

/** A stored version. */
export interface StoredVersion {
  readonly project_id: number;
  readonly version: string | null;
  readonly manifest: string;
  readonly integrity: string;
  readonly deprecated: string | null;
  readonly sha1: string;
  readonly file_name: string;
  readonly created_at: number;
}

/** Serializes a version as a member of the document's `versions` object. */
export function versionMember(packages: string, name: string, row: Omit<StoredVersion, 'created_at'>): string {
  const tarball = `${packages}/projects/${row.project_id}/packages/npm/${name}/-/${row.file_name}`;
  const about = {
    name,
    version: row.version,
    dist: { shasum: row.sha1, integrity: row.integrity, tarball },
    ...(row.deprecated === null ? {} : { deprecated: row.deprecated }),
  };
  const rest = row.manifest.slice(1);
  return `${JSON.stringify(row.version)}:${JSON.stringify(about).slice(0, -1)}${rest === '}' ? '' : ','}${rest}`;
}

/** Streams the document of a package, latest version first. */
export async function* documentText(
  packages: string,
  name: string,
  tags: Readonly<Record<string, string>>,
  versions: AsyncIterable<StoredVersion>,
): AsyncGenerator<string> {
  yield `{"name":${JSON.stringify(name)},"dist-tags":${JSON.stringify(tags)},"versions":{`;
  const times: [version: string, time: string][] = [];
  for await (const row of versions) {
    yield `${times.length === 0 ? '' : ','}${versionMember(packages, name, row)}`;
    times.push([row.version ?? '', new Date(row.created_at).toISOString()]);
  }
  yield `},"time":${JSON.stringify(timesOf(times))}}`;
}

/** Publication times of the package and its versions. Clients use them to exclude recent versions. */
function timesOf(times: readonly (readonly [version: string, time: string])[]): Record<string, string> {
  const all = times.map(([, time]) => time).sort();
  return { created: all[0] ?? '', modified: all.at(-1) ?? '', ...Object.fromEntries(times) };
}
