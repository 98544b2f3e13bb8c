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

/** A version of a module, and where its files are. */
export interface ModuleVersion {
  readonly version: string;
  readonly commit: Commit;
  readonly root: ModuleRoot;
}

/** The folder of a module in a tree. */
export interface ModuleRoot {
  readonly folder: string;
  /** Its `go.mod`; undefined at the root of a repository that has none. */
  readonly goMod: string | undefined;
}

/** So many tags are looked at, those of the highest versions. */
const maxTags = 5000;
/** Each takes a process. */
const maxBases = 10;
const atOnce = 100;

/** Where the module is in a tree: what has a `go.mod` says of which it is, and of no other is a part of it. */
export async function findRoot(objects: Objects, tree: string, place: ModulePlace): Promise<ModuleRoot | null> {
  const size = () => 200;
  return objects.derived('go-module', `${tree} ${place.module}`, size, () => lookForRoot(objects, tree, place));
}

async function lookForRoot(objects: Objects, tree: string, { module, folder, major }: ModulePlace) {
  const inFolder = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  for (const place of major === 1 ? [folder] : [folder, inFolder(`v${major}`)]) {
    const goMod = await fileAt(objects, tree, place === '' ? 'go.mod' : `${place}/go.mod`);
    if (goMod === undefined) {
      // Before there were modules, a repository was one.
      if (place === '' && major === 1) return { folder: '', goMod };
      continue;
    }
    if (readGoMod(await textOf(objects, goMod)).module === module) return { folder: place, goMod };
  }
  return null;
}

/** The blob of a regular file that is no larger than is read here. */
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

/** The versions that tags give a module, the highest first. */
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
  for (let at = 0; at < tags.length && !signal.aborted; at += atOnce) {
    const some = tags.slice(at, at + atOnce);
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

/** A version by its name: that of a tag, or one made of a commit. */
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

/** The version that a branch, a tag or a commit stands for. */
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

/** The highest version in the history of a commit, among the few that are looked at. */
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
