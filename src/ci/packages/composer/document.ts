import { Unprocessable } from '../../../platform/http/errors.ts';
import { isComposerName } from './names.ts';

/** The most bytes of a `composer.json`: Composer is sent those of all versions of a package at once. */
export const longestManifest = 64 * 1024;

/** What the registry says of a version, whatever its `composer.json` says, and where Composer finds it. */
const ownFields = new Set([
  ...['name', 'version', 'version_normalized', 'dist', 'source', 'uid', 'default-branch'],
  ...['transport-options', 'notification-url'],
]);

/** A `composer.json`, as far as it is handed out. */
export interface Manifest {
  readonly name: string;
  /** JSON: an object. */
  readonly manifest: string;
}

/** Reads the `composer.json` of a commit. */
export function readManifest(text: string): Manifest {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Unprocessable('Could not parse composer.json: it is no JSON');
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new Unprocessable('Could not parse composer.json: it is no object');
  }
  const { name } = read as { readonly name?: unknown };
  if (typeof name !== 'string' || !isComposerName(name)) {
    throw new Unprocessable('The name in composer.json is missing or invalid');
  }
  const kept = Object.entries(read).filter(([field]) => !ownFields.has(field));
  return { name, manifest: JSON.stringify(Object.fromEntries(kept)) };
}

/** A version as it is stored, and where its project is. */
export interface StoredVersion {
  readonly package_id: number;
  readonly project_id: number;
  readonly name: string;
  readonly version: string | null;
  readonly target_sha: string;
  readonly manifest: string;
}

/** Where the things are that a version points to. */
export interface Places {
  readonly externalUrl: string;
  /** The full path of a project. */
  pathOf(projectId: number): string;
}

/** A version as a member of the versions of a package. */
export function versionMember({ externalUrl, pathOf }: Places, row: StoredVersion): string {
  const { project_id, name, version, target_sha: reference, manifest } = row;
  const archives = `${externalUrl}/api/v4/projects/${project_id}/packages/composer/archives`;
  const own = {
    name,
    version,
    dist: { type: 'zip', url: `${archives}/${name}.zip?sha=${reference}`, reference, shasum: '' },
    source: { type: 'git', url: `${externalUrl}/${pathOf(project_id)}.git`, reference },
    uid: row.package_id,
  };
  const rest = manifest.slice(1);
  return `${JSON.stringify(version)}:${JSON.stringify(own).slice(0, -1)}${rest === '}' ? '' : ','}${rest}`;
}

/**
 * The text of what Composer is told of a package, made while its versions are read, the oldest first: of several of one
 * version, in projects that came together later, the first one counts.
 */
export async function* documentText(
  places: Places,
  name: string,
  versions: AsyncIterable<StoredVersion> | Iterable<StoredVersion>,
): AsyncGenerator<string> {
  yield `{"packages":{${JSON.stringify(name)}:{`;
  const seen = new Set<string | null>();
  for await (const row of versions) {
    if (seen.has(row.version)) continue;
    yield `${seen.size === 0 ? '' : ','}${versionMember(places, row)}`;
    seen.add(row.version);
  }
  yield '}}}';
}
