import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { keepAround, readNamedRef, repositoryOf, requireCommit } from '../../../code/repository/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import { BadRequest, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { ensurePackage, updatePackage } from '../store.ts';
import { longestManifest, type Manifest, readManifest } from './document.ts';
import { versionOfBranch, versionOfTag } from './names.ts';
import * as store from './store.ts';

/** What is published: a tag, or a branch as it is now. */
export interface Source {
  readonly branch?: string | undefined;
  readonly tag?: string | undefined;
}

/** Publishes a commit as a version of the package that its `composer.json` names. */
export async function publishCommit(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { branch, tag }: Source,
): Promise<void> {
  const ref = tag === undefined ? `refs/heads/${branch}` : `refs/tags/${tag}`;
  const oid = await readNamedRef(services, subject, ref);
  if (oid === null) throw new NotFound(tag === undefined ? 'Branch' : 'Tag');
  const version = tag === undefined ? versionOfBranch(branch ?? '') : versionOfTag(tag);
  if (version === undefined) throw BadRequest.plain('Validation failed: Version is invalid');
  const commit = await requireCommit(services, subject, oid);
  const { name, manifest } = await manifestOf(services, subject, commit.tree);
  // Whatever becomes of the branch or the tag, what was published is there for those who install it.
  await keepAround(services, subject, commit.oid);
  await services.db.write((trx) => note(trx, caller, subject, { name, version, manifest, target_sha: commit.oid }));
}

async function manifestOf(services: Services, subject: ProjectSubject, tree: string): Promise<Manifest> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(tree, 'composer.json');
  const found = entry ? await objects.info(entry.oid) : undefined;
  if (!entry || found?.status !== 'found' || found.type !== 'blob') {
    throw new Unprocessable('The file composer.json was not found');
  }
  if (found.size > longestManifest) {
    throw new Unprocessable(`The file composer.json is too large (maximum is ${longestManifest} bytes)`);
  }
  return readManifest(decodeText((await objects.blob(entry.oid)) ?? Buffer.alloc(0)));
}

interface NewVersion extends Manifest {
  readonly version: string;
  readonly target_sha: string;
}

async function note(
  trx: Writer,
  caller: Actor,
  { project }: ProjectSubject,
  { name, version, manifest, target_sha }: NewVersion,
): Promise<void> {
  // Composer asks a group for a name, and must not be given somebody else's package of it: of two who take it one does.
  await acquireLock(trx, `composer ${name}`);
  if (await store.isNameTaken(trx, name, project)) {
    throw BadRequest.plain('Validation failed: Name is already taken by another project');
  }
  const now = Date.now();
  const named = { project_id: project.id, package_type: 'composer' as const, name, version };
  const { found, made } = await ensurePackage(trx, {
    ...{ ...named, status: 'default' as const, creator_id: caller.user?.id ?? null },
    ...{ last_downloaded_at: null, created_at: now, updated_at: now },
  });
  const before = made ? undefined : await store.versionOf(trx, found.id);
  if (before?.target_sha === target_sha && before.manifest === manifest) {
    throw BadRequest.plain('Validation failed: Version has already been taken');
  }
  await store.saveVersion(trx, { package_id: found.id, project_id: project.id, name, target_sha, manifest });
  await updatePackage(trx, found.id, { updated_at: now });
}
