import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { type Below, readablePackagesOf } from '../gate.ts';
import { documentText, type Places, type StoredVersion } from './document.ts';
import { isDevVersion, readMetadataPath, readProviderPath } from './names.ts';
import * as store from './store.ts';

// The text of a version has up to 64 KiB.
const atOnce = 100;
const maxProjects = 500;
/** Of more Composer 1 is not told, which asks for all of them at once. */
const maxVersions = 5000;

/** The projects of a group whose packages the caller reads, and where they are. */
interface Readables extends Places {
  readonly ids: readonly number[];
}

async function readablesBelow(
  services: Services,
  caller: Actor,
  { namespaceId }: Below,
  name?: string,
): Promise<Readables> {
  const found = await store.projectsBelow(services.db.read, namespaceId, name, maxProjects);
  const readable = await readablePackagesOf(services, caller, found);
  const paths = new Map(readable.map(({ project, fullPath }) => [project.id, fullPath]));
  return { ids: [...paths.keys()], externalUrl: services.externalUrl, pathOf: (id) => paths.get(id) ?? '' };
}

/** Where Composer finds what it is told of packages; Composer 1, which names itself or nothing, is told of all of them. */
export async function describeRepository(
  services: Services,
  caller: Actor,
  below: Below,
  userAgent: string | undefined,
): Promise<Record<string, unknown>> {
  const address = `${addressPath(services)}/api/v4/group/${below.namespaceId}/-/packages/composer`;
  const second = { packages: [], 'metadata-url': `${address}/p2/%package%.json` };
  if (/\bComposer\/[2-9]/.test(userAgent ?? '')) return second;
  const sha256 = createHash('sha256')
    .update(await providersText(services, caller, below))
    .digest('hex');
  return {
    ...second,
    'provider-includes': { 'p/%hash%.json': { sha256 } },
    'providers-url': `${address}/%package%$%hash%.json`,
  };
}

/** What stands between the name of the host and the API. */
function addressPath({ externalUrl }: Services): string {
  return new URL(externalUrl).pathname.replace(/\/$/, '');
}

/** All packages with the digests of what Composer 1 is told of each, which it compares. */
export async function providersText(services: Services, caller: Actor, below: Below): Promise<string> {
  const readables = await readablesBelow(services, caller, below);
  const members: string[] = [];
  for await (const [name, versions] of packagesOf(services, readables)) {
    const digest = createHash('sha256');
    for await (const text of documentText(readables, name, versions)) digest.update(text);
    members.push(`${JSON.stringify(name)}:{"sha256":"${digest.digest('hex')}"}`);
  }
  return `{"providers":{${members.join(',')}}}`;
}

/** Each package with its versions, of which a few are held at a time; they are to be read before the next package. */
async function* packagesOf(
  services: Services,
  readables: Readables,
): AsyncGenerator<[name: string, versions: AsyncGenerator<StoredVersion>]> {
  const rows = allVersions(services, readables);
  let next = await rows.next();
  while (!next.done) {
    const { name } = next.value;
    async function* own(): AsyncGenerator<StoredVersion> {
      for (; !next.done && next.value.name === name; next = await rows.next()) yield next.value;
    }
    yield [name, own()];
  }
}

async function* allVersions({ db }: Services, { ids }: Readables): AsyncGenerator<StoredVersion, void> {
  const numbers = ids.length === 0 ? [] : await store.allVersions(db.read, ids, maxVersions);
  for (let at = 0; at < numbers.length; at += atOnce) {
    yield* await store.versionsByNumber(db.read, numbers.slice(at, at + atOnce));
  }
}

/** Sends Composer 2 the releases of a package, or its branches. */
export async function sendMetadata(services: Services, caller: Actor, below: Below, rest: string, reply: FastifyReply) {
  const asked = readMetadataPath(rest);
  if (!asked) throw new NotFound('Package');
  const { name, dev } = asked;
  return sendDocument(services, caller, below, name, (version) => isDevVersion(version) === dev, reply);
}

/** Sends Composer 1 all versions of a package. */
export async function sendProvider(services: Services, caller: Actor, below: Below, rest: string, reply: FastifyReply) {
  const name = readProviderPath(rest);
  if (name === undefined) throw new NotFound('Package');
  return sendDocument(services, caller, below, name, () => true, reply);
}

async function sendDocument(
  services: Services,
  caller: Actor,
  below: Below,
  name: string,
  isAsked: (version: string) => boolean,
  reply: FastifyReply,
) {
  const readables = await readablesBelow(services, caller, below, name);
  const versions = versionsOf(services, readables, name, isAsked);
  const first = await versions.next();
  if (first.done) throw new NotFound('Package');
  async function* all() {
    yield first.value as StoredVersion;
    yield* versions;
  }
  return reply
    .type('application/json')
    .send(Readable.from(documentText(readables, name, all()), { objectMode: false }));
}

async function* versionsOf(
  { db }: Services,
  { ids }: Readables,
  name: string,
  isAsked: (version: string) => boolean,
): AsyncGenerator<StoredVersion, void> {
  let last: number | undefined = 0;
  while (last !== undefined && ids.length > 0) {
    const rows: StoredVersion[] = await store.versionsAfter(db.read, ids, name, last, atOnce);
    yield* rows.filter(({ version }) => isAsked(version ?? ''));
    last = rows.length === atOnce ? rows.at(-1)?.package_id : undefined;
  }
}
