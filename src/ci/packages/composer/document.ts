import { Unprocessable } from '../../../platform/http/errors.ts';
import { isComposerName } from './names.ts';

/** Maximum size of a `composer.json` in bytes: those of all versions of a package are sent at once. */
export const maxManifestBytes = 64 * 1024;

/** Fields set by the registry; values in `composer.json` are ignored. */
const ownFields = new Set([
  ...['name', 'version', 'version_normalized', 'dist', 'source', 'uid', 'default-branch'],
  ...['transport-options', 'notification-url'],
]);

/** The parts of a `composer.json` that are served. */
export interface Manifest {
  readonly name: string;
  /** A JSON object. */
  readonly manifest: string;
}

/** Parses the `composer.json` of a commit. */
export function readManifest(text: string): Manifest {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Unprocessable('Could not parse composer.json: it is not valid JSON');
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new Unprocessable('Could not parse composer.json: it is not an object');
  }
  const { name } = read as { readonly name?: unknown };
  if (typeof name !== 'string' || !isComposerName(name)) {
    throw new Unprocessable('The name in composer.json is missing or invalid');
  }
  const stored = Object.entries(read).filter(([field]) => !ownFields.has(field));
  return { name, manifest: JSON.stringify(Object.fromEntries(stored)) };
}

/** A stored version with its project. */
export interface StoredVersion {
  readonly package_id: number;
  readonly project_id: number;
  readonly name: string;
  readonly version: string | null;
  readonly target_sha: string;
  readonly manifest: string;
}

/** Base addresses for the URLs of a version. */
export interface Places {
  readonly externalUrl: string;
  /** Full path of a project. */
  pathOf(projectId: number): string;
}

/** Serializes a version as a member of the package's `versions` object. */
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
 * Streams the metadata document of a package, oldest version first. If projects moved into the same group have the same
 * version, the first one counts.
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
