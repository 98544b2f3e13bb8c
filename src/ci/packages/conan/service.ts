import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import { readablePackagesOf } from '../gate.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { isFileName } from '../rules.ts';
import { removeFiles, send } from '../service.ts';
import { deletePackage, packageNamed } from '../store.ts';
import { ConanInfo } from './info.ts';
import { type ConanRequest, type FileLocation, locationOf, noRevision, type Recipe, referenceOf } from './paths.ts';
import * as store from './store.ts';

const maxRevisions = 1000;
const maxFiles = 1000;
const maxPackages = 1000;
const maxRecipes = 5000;
const maxProjects = 500;
const readInfo = storedJson(ConanInfo);

const foundIn = ({ project }: ProjectSubject, { name, version, username, channel }: Recipe): store.StoredRecipe => ({
  ...{ project_id: project.id, name, version, username, channel },
});

/** The date format of Conan. */
const time = (milliseconds: number) => instant(milliseconds).replace('Z', '+0000');

/** Lists the revisions of a recipe or of one of its packages. */
async function revisions({ db }: Services, subject: ProjectSubject, target: ConanRequest, limit: number) {
  const { recipe_revision, package_reference } = target;
  const found = foundIn(subject, target);
  const rows =
    package_reference === undefined
      ? await store.revisionsOf(db.read, { ...found, package_reference: '' }, 'recipe_revision', limit)
      : await store.revisionsOf(db.read, { ...found, recipe_revision, package_reference }, 'package_revision', limit);
  return rows.map(({ revision, created_at }) => ({ revision, time: time(created_at) }));
}

async function latest(services: Services, subject: ProjectSubject, target: ConanRequest) {
  const [newest] = await revisions(services, subject, target, 1);
  if (!newest) throw new NotFound('Revision');
  return newest;
}

/** Location for a request without revisions: the latest of each. */
async function newestPlace(
  services: Services,
  subject: ProjectSubject,
  target: ConanRequest,
): Promise<FileLocation | undefined> {
  const { package_reference, package_revision: _, ...recipe } = target;
  const [newest] = await revisions(services, subject, recipe, 1);
  if (!newest) return undefined;
  const recipe_revision = newest.revision;
  if (package_reference === undefined) return { recipe_revision, package_reference: '', package_revision: '' };
  const [built] = await revisions(services, subject, { ...target, recipe_revision }, 1);
  return built && { recipe_revision, package_reference, package_revision: built.revision };
}

async function filesAt(
  { db }: Services,
  subject: ProjectSubject,
  target: ConanRequest,
  place: FileLocation | undefined,
) {
  return place ? store.filesAt(db.read, { ...foundIn(subject, target), ...place }, maxFiles) : [];
}

/** Answers a request of protocol version 1. */
export async function answerV1(services: Services, subject: ProjectSubject, target: ConanRequest, address: string) {
  if (target.what === 'search') return searchPackages(services, subject, target);
  const place = await newestPlace(services, subject, target);
  const files = await filesAt(services, subject, target, place);
  if (target.what === 'snapshot') return Object.fromEntries(files.map(({ file_name, md5 }) => [file_name, md5]));
  if (target.what !== 'urls' || !place || files.length === 0) throw new NotFound();
  return urls(
    target,
    place,
    address,
    files.map(({ file_name }) => file_name),
  );
}

/** Upload URLs; files uploaded this way have no revisions. */
export function answerUpload(target: ConanRequest, address: string, names: readonly string[]) {
  if (target.what !== 'upload_urls') throw new NotFound();
  if (names.length > 100 || !names.every(isFileName)) throw new ParameterError('files are invalid');
  const { package_reference = '' } = target;
  const package_revision = package_reference && noRevision;
  return urls(target, { recipe_revision: noRevision, package_reference, package_revision }, address, names);
}

function urls(recipe: Recipe, place: FileLocation, address: string, names: readonly string[]): Record<string, string> {
  const { recipe_revision, package_reference, package_revision } = place;
  const { name, version, username, channel } = recipe;
  const within = package_reference === '' ? 'export' : `package/${package_reference}/${package_revision}`;
  const base = `${address}/v1/files/${name}/${version}/${username}/${channel}/${recipe_revision}/${within}`;
  return Object.fromEntries(names.map((file) => [file, `${base}/${file}`]));
}

/** Answers a request of protocol version 2. */
export async function answerV2(services: Services, subject: ProjectSubject, target: ConanRequest, reply: FastifyReply) {
  switch (target.what) {
    case 'search':
      return searchPackages(services, subject, target);
    case 'latest':
      return latest(services, subject, target);
    case 'revisions': {
      const all = await revisions(services, subject, target, maxRevisions);
      if (all.length === 0) throw new NotFound('Revision');
      const { recipe_revision, package_reference } = target;
      const built = package_reference === undefined ? '' : `#${recipe_revision}:${package_reference}`;
      return { reference: `${referenceOf(target)}${built}`, revisions: all };
    }
    case 'files': {
      const files = await filesAt(services, subject, target, locationOf(target));
      if (files.length === 0) throw new NotFound();
      return { files: Object.fromEntries(files.map(({ file_name }) => [file_name, {}])) };
    }
    case 'file':
      return sendFile(services, subject, target, reply);
    default:
      throw new NotFound();
  }
}

export async function sendFile(services: Services, subject: ProjectSubject, target: ConanRequest, reply: FastifyReply) {
  const part = { ...foundIn(subject, target), ...locationOf(target) };
  const file = await store.fileAt(services.db.read, part, target.file_name ?? '');
  if (!file) throw new NotFound();
  return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
}

/** Searches the packages of a recipe revision, by default the latest. */
async function searchPackages(services: Services, subject: ProjectSubject, target: ConanRequest) {
  const { read } = services.db;
  const { revision } = target.recipe_revision
    ? { revision: target.recipe_revision }
    : await latest(services, subject, target);
  const rows = await store.infosOf(read, { ...foundIn(subject, target), recipe_revision: revision }, maxPackages);
  const newestLast = rows.toReversed();
  return Object.fromEntries(newestLast.map(({ package_reference, info }) => [package_reference, readInfo(info ?? '')]));
}

/** The part of a search pattern that applies to recipe names. */
const ofNames = (q: string) => q.split('/', 1)[0] ?? '';

/** Searches recipes of some projects by a wildcard pattern, which matches the name, name/version or full reference. */
export async function search({ db }: Services, projects: readonly number[], q: string) {
  const recipes = await store.recipesNamed(db.read, projects, ofNames(q), maxRecipes);
  const pattern = q.toLowerCase();
  const fits = (recipe: Recipe) =>
    [recipe.name, `${recipe.name}/${recipe.version}`, referenceOf(recipe)].some((text) =>
      matchesWildcard(pattern, text.toLowerCase()),
    );
  return { results: [...new Set(recipes.filter(fits).map(referenceOf))] };
}

/** Searches recipes of all projects the caller can read. */
export async function searchAnywhere(services: Services, caller: Actor, q: string) {
  const found = await store.projectsWith(services.db.read, ofNames(q), maxProjects);
  const readable = await readablePackagesOf(services, caller, found);
  return search(
    services,
    readable.map(({ project }) => project.id),
    q,
  );
}

/** Deletes a recipe with all its packages. */
export function removeByV1(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  target: ConanRequest | undefined,
) {
  if (target?.what !== 'snapshot' || target.package_reference !== undefined) throw new NotFound();
  return remove(services, caller, subject, target);
}

/** Deletes a recipe revision, all its packages, or a package revision. */
export function removeByV2(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  target: ConanRequest | undefined,
) {
  if (target?.what !== 'revision' && target?.what !== 'packages') throw new NotFound();
  return remove(services, caller, subject, target);
}

async function remove(services: Services, caller: Actor, subject: ProjectSubject, target: ConanRequest) {
  const { name, version, what, recipe_revision, package_reference, package_revision } = target;
  const part = { ...foundIn(subject, target), recipe_revision, package_reference, package_revision };
  const fileIds = what === 'packages' ? store.packageFileIdsOf(part) : store.fileIdsOf(part);
  const named = { project_id: subject.project.id, package_type: 'conan' as const, name, version };
  const found = await packageNamed(services.db.read, named);
  if (!found) throw new NotFound('Package');
  await requireUnprotected(services, caller, subject, found, 'delete');
  await services.db.write(async (trx) => {
    // Concurrent uploads to the package wait for this lock.
    if (!(await lockRow(trx, 'packages', found.id, 'remove'))) throw new NotFound('Package');
    if (!(await store.findsAny(trx, fileIds))) throw new NotFound('Package');
    await removeFiles(services, trx, subject, { fileIds });
    if (!(await store.hasFiles(trx, found.id))) await deletePackage(trx, found.id);
  });
  const { id, project_id, package_type, creator_id, status, created_at, updated_at } = found;
  const instants = { created_at: instant(created_at), updated_at: instant(updated_at) };
  return { id, project_id, ...instants, name, version, package_type, creator_id, status };
}
