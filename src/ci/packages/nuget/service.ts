import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { installable } from '../rules.ts';
import { deletePackage, send } from '../service.ts';
import { fileNamed } from '../store.ts';
import { compareVersions, latestOf } from '../versions.ts';
import type { Feed } from './feed.ts';
import { isNugetName, normalizedVersion, withoutJson } from './names.ts';
import { presentAbout, presentVersion, versionAddress } from './present.ts';
import type { FoundEntity, VersionEntity } from './schema.ts';
import * as store from './store.ts';

const batchSize = 50;
const maxVersions = 1000;
const maxFound = 100;
const maxSkipped = 100_000;

type Version = Awaited<ReturnType<typeof store.versionsOf>>[number];

/** Deduplicates versions and sorts them, lowest first. If several projects have a version, the latest one counts. */
function inOrder(rows: readonly Version[]): Version[] {
  const newest = new Map(rows.toReversed().map((row) => [row.version, row]));
  return [...newest.values()].sort((one, other) => compareVersions(one.version, other.version));
}

/** Lists the versions of a package. */
async function versionsIn({ db }: Services, feed: Feed, name: string): Promise<[Version, ...Version[]]> {
  const projects = isNugetName(name) ? await feed.projects(name) : [];
  const rows = await store.versionsOf(db.read, projects, [name.toLowerCase()], maxVersions);
  const [lowest, ...others] = inOrder(rows);
  if (!lowest) throw new NotFound('Package');
  return [lowest, ...others];
}

export async function listVersions(services: Services, feed: Feed, name: string): Promise<{ versions: string[] }> {
  return { versions: (await versionsIn(services, feed, name)).map(({ version }) => version) };
}

/** Sends the metadata of all versions of a package, or of the version the document is named after. */
export async function sendMetadata(
  services: Services,
  feed: Feed,
  { package_name: name, document }: { readonly package_name: string; readonly document: string },
  reply: FastifyReply,
) {
  const requested = withoutJson(document);
  const versions = await versionsIn(services, feed, name);
  if (requested === 'index')
    return reply.type('application/json').send(Readable.from(allText(services, feed, name, versions)));
  const normalized = normalizedVersion(requested)?.toLowerCase();
  const found = versions.find(({ version }) => version === normalized);
  const [details] = found ? await store.detailsOf(services.db.read, [found.package_id]) : [];
  if (!details) throw new NotFound('Package');
  return presentVersion(services, feed, details);
}

/** Streams the metadata of all versions. */
async function* allText(services: Services, feed: Feed, name: string, versions: readonly [Version, ...Version[]]) {
  const [first] = versions;
  const bounds = { lower: first.version, upper: (versions.at(-1) ?? first).version, count: versions.length };
  const page = { '@id': versionAddress(feed, name, bounds.upper), ...bounds };
  yield `{"count":1,"items":[${JSON.stringify(page).slice(0, -1)},"items":[`;
  let separator = '';
  for (let start = 0; start < versions.length; start += batchSize) {
    for (const one of await detailed(services, feed, versions.slice(start, start + batchSize))) {
      yield `${separator}${JSON.stringify(one)}`;
      separator = ',';
    }
  }
  yield ']}]}';
}

async function detailed(services: Services, feed: Feed, versions: readonly Version[]): Promise<VersionEntity[]> {
  const ids = versions.map(({ package_id }) => package_id);
  const rows = new Map((await store.detailsOf(services.db.read, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = rows.get(id);
    // The version was deleted in the meantime.
    return row ? [presentVersion(services, feed, row)] : [];
  });
}

interface Search {
  readonly q: string;
  readonly skip: number;
  readonly take: number;
  readonly prerelease: boolean;
}

/** Searches packages by a part of their names. */
export async function search(
  services: Services,
  feed: Feed,
  { q, skip, take, prerelease }: Search,
): Promise<FoundEntity> {
  const { read } = services.db;
  const projects = await feed.projects();
  const page = { skip: Math.min(Math.max(skip, 0), maxSkipped), take: Math.min(Math.max(take, 1), maxFound) };
  const { names, total } = await store.namesFound(read, projects, { text: q, prerelease }, page);
  const versions = await store.versionsOf(read, projects, names, maxVersions);
  const shown = Map.groupBy(
    versions.filter(({ is_prerelease }) => prerelease || is_prerelease === 0),
    ({ lower_name }) => lower_name,
  );
  const found = names.flatMap((name) => {
    const own = inOrder(shown.get(name) ?? []);
    const latest = latestOf(own);
    return latest ? [{ own, latest }] : [];
  });
  const ids = found.map(({ latest }) => latest.package_id);
  const rows = new Map((ids.length === 0 ? [] : await store.detailsOf(read, ids)).map((row) => [row.id, row]));
  const data = found.flatMap(({ own, latest }) => {
    const row = rows.get(latest.package_id);
    return row ? [presentFound(feed, own, row)] : [];
  });
  return { totalHits: total, data };
}

function presentFound(
  feed: Feed,
  versions: readonly Version[],
  row: Awaited<ReturnType<typeof store.detailsOf>>[number],
): FoundEntity['data'][number] {
  return {
    '@type': 'Package',
    id: row.name,
    version: row.version ?? row.lower_version,
    ...presentAbout(row),
    totalDownloads: 0,
    verified: true,
    versions: versions.map(({ version }) => ({
      '@id': versionAddress(feed, row.name, version),
      version,
      downloads: 0,
    })),
  };
}

async function requireVersion({ db }: Services, { project }: ProjectSubject, name: string, version: string) {
  const normalized = normalizedVersion(version);
  const found =
    isNugetName(name) && normalized !== undefined
      ? await store.packageOf(db.read, project.id, name, normalized)
      : undefined;
  if (!found) throw new NotFound('Package');
  return found;
}

interface Named {
  readonly package_name: string;
  readonly package_version: string;
}

/** Sends the latest file of a version with a given name: the package or its symbols. */
export async function sendFile(
  services: Services,
  subject: ProjectSubject,
  { package_name, package_version, package_filename }: Named & { readonly package_filename: string },
  reply: FastifyReply,
) {
  const found = await requireVersion(services, subject, package_name, package_version);
  const isOpen = installable.some((status) => status === found.status);
  const file = isOpen ? await fileNamed(services.db.read, found.id, package_filename.toLowerCase()) : undefined;
  if (!file) throw new NotFound();
  return send(services, found, file, reply);
}

export async function removeVersion(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { package_name, package_version }: Named,
): Promise<void> {
  const { id } = await requireVersion(services, subject, package_name, package_version);
  await deletePackage(services, caller, subject, id);
}
