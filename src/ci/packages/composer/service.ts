import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { type PackageGroup, readablePackagesOf } from '../gate.ts';
import { documentText, type Places, type StoredVersion } from './document.ts';
import { isDevVersion, readMetadataPath, readProviderPath } from './names.ts';
import * as store from './store.ts';

// A version has up to 64 KiB of text.
const batchSize = 100;
const maxProjects = 500;
/** Maximum number of versions listed for Composer 1, which requests all at once. */
const maxVersions = 5000;

/** Projects of a group whose packages the caller can read, with their paths. */
interface ReadableProjects extends Places {
  readonly ids: readonly number[];
}

async function readableProjectsBelow(
  services: Services,
  caller: Actor,
  { namespaceId }: PackageGroup,
  name?: string,
): Promise<ReadableProjects> {
  const found = await store.projectsBelow(services.db.read, namespaceId, name, maxProjects);
  const readable = await readablePackagesOf(services, caller, found);
  const paths = new Map(readable.map(({ project, fullPath }) => [project.id, fullPath]));
  return { ids: [...paths.keys()], externalUrl: services.externalUrl, pathOf: (id) => paths.get(id) ?? '' };
}

/**
 * Describes where Composer finds metadata. Composer 1, which identifies itself as such or not at all, gets a list of
 * all packages.
 */
export async function describeRepository(
  services: Services,
  caller: Actor,
  below: PackageGroup,
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

/** Path prefix of the API URL. */
function addressPath({ externalUrl }: Services): string {
  return new URL(externalUrl).pathname.replace(/\/$/, '');
}

/** Lists all packages with the digests of their Composer 1 metadata, which the client verifies. */
export async function providersText(services: Services, caller: Actor, below: PackageGroup): Promise<string> {
  const readable = await readableProjectsBelow(services, caller, below);
  const members: string[] = [];
  for await (const [name, versions] of packagesOf(services, readable)) {
    const digest = createHash('sha256');
    for await (const text of documentText(readable, name, versions)) digest.update(text);
    members.push(`${JSON.stringify(name)}:{"sha256":"${digest.digest('hex')}"}`);
  }
  return `{"providers":{${members.join(',')}}}`;
}

/**
 * Iterates over packages with their versions, loading a few at a time. The versions must be consumed before the next
 * package.
 */
async function* packagesOf(
  services: Services,
  readable: ReadableProjects,
): AsyncGenerator<[name: string, versions: AsyncGenerator<StoredVersion>]> {
  const rows = allVersions(services, readable);
  let next = await rows.next();
  while (!next.done) {
    const { name } = next.value;
    async function* own(): AsyncGenerator<StoredVersion> {
      for (; !next.done && next.value.name === name; next = await rows.next()) yield next.value;
    }
    yield [name, own()];
  }
}

async function* allVersions({ db }: Services, { ids }: ReadableProjects): AsyncGenerator<StoredVersion, void> {
  const numbers = ids.length === 0 ? [] : await store.allVersions(db.read, ids, maxVersions);
  for (let at = 0; at < numbers.length; at += batchSize) {
    yield* await store.versionsByNumber(db.read, numbers.slice(at, at + batchSize));
  }
}

/** Sends the releases or the branches of a package to Composer 2. */
export async function sendMetadata(
  services: Services,
  caller: Actor,
  below: PackageGroup,
  rest: string,
  reply: FastifyReply,
) {
  const metadataRequest = readMetadataPath(rest);
  if (!metadataRequest) throw new NotFound('Package');
  const { name, dev } = metadataRequest;
  return sendDocument(services, caller, below, name, (version) => isDevVersion(version) === dev, reply);
}

/** Sends all versions of a package to Composer 1. */
export async function sendProvider(
  services: Services,
  caller: Actor,
  below: PackageGroup,
  rest: string,
  reply: FastifyReply,
) {
  const name = readProviderPath(rest);
  if (name === undefined) throw new NotFound('Package');
  return sendDocument(services, caller, below, name, () => true, reply);
}

async function sendDocument(
  services: Services,
  caller: Actor,
  below: PackageGroup,
  name: string,
  isAsked: (version: string) => boolean,
  reply: FastifyReply,
) {
  const readable = await readableProjectsBelow(services, caller, below, name);
  const versions = versionsOf(services, readable, name, isAsked);
  const first = await versions.next();
  if (first.done) throw new NotFound('Package');
  async function* all() {
    yield first.value as StoredVersion;
    yield* versions;
  }
  return reply.type('application/json').send(Readable.from(documentText(readable, name, all()), { objectMode: false }));
}

async function* versionsOf(
  { db }: Services,
  { ids }: ReadableProjects,
  name: string,
  isAsked: (version: string) => boolean,
): AsyncGenerator<StoredVersion, void> {
  let last: number | undefined = 0;
  while (last !== undefined && ids.length > 0) {
    const rows: StoredVersion[] = await store.versionsAfter(db.read, ids, name, last, batchSize);
    yield* rows.filter(({ version }) => isAsked(version ?? ''));
    last = rows.length === batchSize ? rows.at(-1)?.package_id : undefined;
  }
}
