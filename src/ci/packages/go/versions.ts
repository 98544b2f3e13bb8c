import type { Services } from '../../../access/services.ts';
import {
  defaultBranch,
  namedRefs,
  type ProjectCall,
  readNamedRef,
  repositoryOf,
  resolveCommit,
  runExpensive,
} from '../../../code/repository/public.ts';
import { isAncestor } from '../../../platform/git/history/ancestry.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { type Objects, SHARED_READ_BYTES } from '../../../platform/git/objects/objects.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import { repositoryExists } from '../../../platform/git/repository.ts';
import { compareVersions } from '../versions.ts';
import { readGoMod } from './go-mod.ts';
import { isTaggedVersion, type ModulePlace, pseudoTime, pseudoVersion, readPseudoVersion } from './names.ts';

/** A version of a module and the location of its files. */
export interface ModuleVersion {
  readonly version: string;
  readonly commit: Commit;
  readonly root: ModuleRoot;
}

/** Root folder of a module in a tree. */
export interface ModuleRoot {
  readonly folder: string;
  /** Blob ID of its `go.mod`; undefined for a repository without one. */
  readonly goMod: string | undefined;
}

/** Maximum number of tags considered, highest versions first. */
const maxTags = 5000;
/** Maximum number of ancestor checks; each starts a Git process. */
const maxBases = 10;
const batchSize = 100;

/** Finds the root of a module in a tree. A folder belongs to the module only if its `go.mod` names this module. */
export async function findRoot(objects: Objects, tree: string, place: ModulePlace): Promise<ModuleRoot | null> {
  const size = () => 200;
  return objects.derived('go-module', `${tree} ${place.module}`, size, () => searchRoot(objects, tree, place));
}

async function searchRoot(objects: Objects, tree: string, { module, folder, major }: ModulePlace) {
  const inFolder = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  for (const place of major === 1 ? [folder] : [folder, inFolder(`v${major}`)]) {
    const goMod = await fileAt(objects, tree, place === '' ? 'go.mod' : `${place}/go.mod`);
    if (goMod === undefined) {
      // Repositories without `go.mod` are a single module.
      if (place === '' && major === 1) return { folder: '', goMod };
      continue;
    }
    if (readGoMod(await textOf(objects, goMod)).module === module) return { folder: place, goMod };
  }
  return null;
}

/** Blob ID of a regular file that is small enough to read in-process. */
export async function fileAt(objects: Objects, tree: string, path: string): Promise<string | undefined> {
  const entry = await objects.entryAt(tree, path);
  if (!entry?.mode.startsWith('100')) return undefined;
  const info = await objects.info(entry.oid);
  return info.status === 'found' && info.type === 'blob' && info.size <= SHARED_READ_BYTES ? entry.oid : undefined;
}

export async function textOf(objects: Objects, blob: string): Promise<string> {
  return decodeText((await objects.blob(blob)) ?? Buffer.alloc(0));
}

const tagPrefix = ({ folder }: ModulePlace) => (folder === '' ? '' : `${folder}/`);

/** Versions defined by tags, highest first. */
export function taggedVersions(services: Services, call: ProjectCall, place: ModulePlace): Promise<ModuleVersion[]> {
  return runExpensive(services, call, () => readTags(services, call, place));
}

async function readTags(services: Services, { subject, signal }: ProjectCall, place: ModulePlace) {
  const repo = repositoryOf(services, subject);
  if (!(await repositoryExists(repo))) return [];
  const objects = services.git.objects(repo);
  const prefix = tagPrefix(place);
  const tags = (await namedRefs(services, repo, 'refs/tags/'))
    .filter(({ name }) => name.startsWith(prefix) && isTaggedVersion(name.slice(prefix.length), place.major))
    .map(({ name, oid }) => ({ version: name.slice(prefix.length), oid }))
    .sort((a, b) => compareVersions(b.version, a.version))
    .slice(0, maxTags);
  const found: ModuleVersion[] = [];
  for (let at = 0; at < tags.length && !signal.aborted; at += batchSize) {
    const some = tags.slice(at, at + batchSize);
    const versions = await Promise.all(some.map(({ version, oid }) => versionAt(objects, oid, place, version)));
    found.push(...versions.filter((one) => one !== undefined));
  }
  return found;
}

async function versionAt(
  objects: Objects,
  oid: string | null,
  place: ModulePlace,
  version: string,
): Promise<ModuleVersion | undefined> {
  const id = oid && (await objects.commitId(oid));
  const commit = id ? await objects.commit(id) : null;
  const root = commit && (await findRoot(objects, commit.tree, place));
  return commit && root ? { version, commit, root } : undefined;
}

/** Finds a version by name: a tagged version or a pseudo-version. */
export async function findVersion(
  services: Services,
  { subject }: ProjectCall,
  place: ModulePlace,
  version: string,
): Promise<ModuleVersion | undefined> {
  const objects = services.git.objects(repositoryOf(services, subject));
  if (isTaggedVersion(version, place.major)) {
    const tag = await readNamedRef(services, subject, `refs/tags/${tagPrefix(place)}${version}`);
    return versionAt(objects, tag, place, version);
  }
  const pseudo = readPseudoVersion(version, place.major);
  const commit = pseudo && (await resolveCommit(services, subject, pseudo.revision));
  const isIt = commit?.oid.startsWith(pseudo?.revision ?? '') && pseudoTime(commit.committer.seconds) === pseudo?.time;
  return commit && isIt ? versionAt(objects, commit.oid, place, version) : undefined;
}

/** Resolves a branch, tag or commit to a version. */
export async function versionOfRevision(
  services: Services,
  call: ProjectCall,
  place: ModulePlace,
  revision = defaultBranch(call.subject),
): Promise<ModuleVersion | undefined> {
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const commit = await resolveCommit(services, call.subject, revision);
  const root = commit && (await findRoot(objects, commit.tree, place));
  if (!commit || !root) return undefined;
  const tagged = await taggedVersions(services, call, place);
  const itself = tagged.find((one) => one.commit.oid === commit.oid);
  if (itself) return itself;
  const base = await runExpensive(services, call, () => lastBefore(services, call, tagged, commit.oid));
  return { version: pseudoVersion(place.major, commit.committer.seconds, commit.oid, base), commit, root };
}

/** The highest tagged version in the history of a commit, among the first few candidates. */
async function lastBefore(
  services: Services,
  { subject, signal }: ProjectCall,
  tagged: readonly ModuleVersion[],
  oid: string,
): Promise<string | undefined> {
  for (const { version, commit } of tagged.slice(0, maxBases)) {
    if (await isAncestor(repositoryOf(services, subject), commit.oid, oid, { signal })) return version;
  }
  return undefined;
}
