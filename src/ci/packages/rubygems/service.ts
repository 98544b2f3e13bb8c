import { promisify } from 'node:util';
import { deflate, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { send } from '../service.ts';
import { Gemspec, isGemName } from './gemspec.ts';
import { document, list, listDocument } from './marshal.ts';
import { presentDependencies, presentGemspec, presentListed } from './present.ts';
import * as store from './store.ts';
import { compareGemVersions } from './versions.ts';

const maxListed = 20_000;
const maxNames = 200;
const maxVersions = 2000;
const batchSize = 100;
const readMetadata = storedJson(Gemspec);
const [deflated, gzipped] = [promisify(deflate), promisify(gzip)];

type IndexEntry = Awaited<ReturnType<typeof store.listedGems>>[number];

/** The highest version of each gem per platform. */
export function latestGems<G extends Pick<IndexEntry, 'name' | 'version' | 'platform'>>(gems: readonly G[]): G[] {
  const latest = new Map<string, G>();
  for (const gem of gems) {
    const key = `${gem.name} ${gem.platform}`;
    const other = latest.get(key);
    if (!other || compareGemVersions(gem.version, other.version) > 0) latest.set(key, gem);
  }
  return [...latest.values()];
}

/** The indexes by file name. */
const indexes = new Map([
  ['specs.4.8.gz', { prerelease: false, latest: false }],
  ['latest_specs.4.8.gz', { prerelease: false, latest: true }],
  ['prerelease_specs.4.8.gz', { prerelease: true, latest: false }],
]);
export const indexNames = [...indexes.keys()];

/** Sends an index of the gems of a project. */
export async function sendIndex({ db }: Services, { project }: ProjectSubject, name: string, reply: FastifyReply) {
  const index = indexes.get(name);
  if (!index) throw new NotFound();
  const { prerelease, latest } = index;
  const gems = await store.listedGems(db.read, project.id, { prerelease, limit: maxListed });
  const shown = latest ? latestGems(gems) : gems;
  const text = Buffer.concat([listDocument(shown.length), ...shown.map(presentListed)]);
  return reply.type('application/gzip').send(await gzipped(text));
}

const specification = /^(.+)\.gemspec\.rz$/;

/** Sends the specification of a gem. */
export async function sendGemspec({ db }: Services, { project }: ProjectSubject, file: string, reply: FastifyReply) {
  const name = specification.exec(file)?.[1];
  const gem = name === undefined ? undefined : await store.gemNamed(db.read, project.id, `${name}.gem`);
  if (!gem) throw new NotFound();
  return reply.type('application/octet-stream').send(await deflated(presentGemspec(readMetadata(gem.metadata))));
}

export async function sendGem(services: Services, { project }: ProjectSubject, file: string, reply: FastifyReply) {
  const gem = await store.gemNamed(services.db.read, project.id, file);
  if (!gem) throw new NotFound();
  return send(services, { id: gem.package_id, last_downloaded_at: gem.last_downloaded_at }, gem, reply);
}

/** Sends the dependencies of the named gems. */
export async function sendDependencies(
  { db }: Services,
  { project }: ProjectSubject,
  asked: string | undefined,
  reply: FastifyReply,
) {
  const names = [...new Set(asked?.split(',').filter((name) => name !== ''))];
  if (names.length > maxNames) throw new BadRequest(`gems has more than ${maxNames} names`);
  const known = names.filter(isGemName);
  const entries: Buffer[] = [];
  for (let last: number | undefined = 0; last !== undefined && known.length > 0 && entries.length < maxVersions; ) {
    const rows: { file_id: number; metadata: string }[] = await store.gemsAfter(
      db.read,
      project.id,
      known,
      last,
      batchSize,
    );
    entries.push(...rows.map(({ metadata }) => presentDependencies(readMetadata(metadata))));
    last = rows.length === batchSize ? rows.at(-1)?.file_id : undefined;
  }
  return reply.type('application/octet-stream').send(document(list(entries)));
}
