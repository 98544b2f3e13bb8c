import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { keepAround, readNamedRef, repositoryOf, requireCommit } from '../../../code/repository/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import { BadRequest, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { ensurePackage, updatePackage } from '../store.ts';
import { type Manifest, maxManifestBytes, readManifest } from './document.ts';
import { versionOfBranch, versionOfTag } from './names.ts';
import * as store from './store.ts';

/** What to publish: a tag, or the current commit of a branch. */
export interface Source {
  readonly branch?: string | undefined;
  readonly tag?: string | undefined;
}

/** Publishes a commit as a version of the package named in its `composer.json`. */
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
  // Keeps the commit reachable for later installations, even if the branch or tag is deleted.
  await keepAround(services, subject, commit.oid);
  await services.db.write((trx) =>
    saveVersionOf(trx, caller, subject, { name, version, manifest, target_sha: commit.oid }),
  );
}

async function manifestOf(services: Services, subject: ProjectSubject, tree: string): Promise<Manifest> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(tree, 'composer.json');
  const found = entry ? await objects.info(entry.oid) : undefined;
  if (!entry || found?.status !== 'found' || found.type !== 'blob') {
    throw new Unprocessable('The file composer.json was not found');
  }
  if (found.size > maxManifestBytes) {
    throw new Unprocessable(`The file composer.json is too large (maximum is ${maxManifestBytes} bytes)`);
  }
  return readManifest(decodeText((await objects.blob(entry.oid)) ?? Buffer.alloc(0)));
}

interface NewVersion extends Manifest {
  readonly version: string;
  readonly target_sha: string;
}

async function saveVersionOf(
  trx: Writer,
  caller: Actor,
  { project }: ProjectSubject,
  { name, version, manifest, target_sha }: NewVersion,
): Promise<void> {
  // Names must be unique per root namespace, because Composer resolves packages by group. The lock serializes
  // concurrent claims.
  await acquireLock(trx, `composer ${name}`);
  if (await store.isNameTaken(trx, name, project)) {
    throw BadRequest.plain('Validation failed: Name is already taken by another project');
  }
  const now = Date.now();
  const named = { project_id: project.id, package_type: 'composer' as const, name, version };
  const { found, created } = await ensurePackage(trx, {
    ...{ ...named, status: 'default' as const, creator_id: caller.user?.id ?? null },
    ...{ last_downloaded_at: null, created_at: now, updated_at: now },
  });
  const before = created ? undefined : await store.versionOf(trx, found.id);
  if (before?.target_sha === target_sha && before.manifest === manifest) {
    throw BadRequest.plain('Validation failed: Version has already been taken');
  }
  await store.saveVersion(trx, { package_id: found.id, project_id: project.id, name, target_sha, manifest });
  await updatePackage(trx, found.id, { updated_at: now });
}
