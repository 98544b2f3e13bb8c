import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { HttpError, NotFound } from '../../../platform/http/errors.ts';
import { type PackageGroup, readablePackagesOf } from '../gate.ts';
import { send } from '../service.ts';
import { isPypiName, normalizedName } from './names.ts';
import { type Link, simplePage } from './page.ts';
import * as store from './store.ts';

const batchSize = 500;
const maxProjects = 500;

/** A simple index: of a project, or of the projects of a group the caller can read. */
export interface Index {
  /** Base URL of its pages. */
  readonly address: string;
  /** Projects that have packages, optionally with a given name. */
  projects(name?: string): Promise<readonly number[]>;
  readonly where: { readonly projectId: number } | { readonly namespaceId: number };
}

export function indexOfProject({ externalUrl }: Services, { id }: { readonly id: number }): Index {
  const address = `${externalUrl}/api/v4/projects/${id}/packages/pypi`;
  return { address, projects: async () => [id], where: { projectId: id } };
}

export function indexOfGroup(services: Services, caller: Actor, { namespaceId }: PackageGroup): Index {
  return {
    address: `${services.externalUrl}/api/v4/groups/${namespaceId}/-/packages/pypi`,
    async projects(name) {
      const found = await store.projectsBelow(services.db.read, namespaceId, name, maxProjects);
      return (await readablePackagesOf(services, caller, found)).map(({ project }) => project.id);
    },
    where: { namespaceId },
  };
}

function sendPage(reply: FastifyReply, title: string, links: AsyncIterable<Link>) {
  return reply.type('text/html; charset=utf-8').send(Readable.from(simplePage(title, links)));
}

/** Sends the page that lists all packages. */
export async function sendIndex({ db }: Services, index: Index, reply: FastifyReply) {
  const projects = await index.projects();
  async function* links(): AsyncGenerator<Link> {
    for (let last: string | undefined = ''; last !== undefined && projects.length > 0; ) {
      const names: string[] = await store.namesAfter(db.read, projects, last, batchSize);
      for (const name of names) yield { href: `${index.address}/simple/${name}`, text: name };
      last = names.length === batchSize ? names.at(-1) : undefined;
    }
  }
  return sendPage(reply, 'Links', links());
}

/** Sends the page of one package: links to its files with their digests. */
export async function sendLinks(services: Services, index: Index, requestedName: string, reply: FastifyReply) {
  const { read } = services.db;
  if (!isPypiName(requestedName)) throw new NotFound('Package');
  const name = normalizedName(requestedName);
  const projects = await index.projects(name);
  const first = projects.length === 0 ? [] : await store.filesAfter(read, projects, name, 0, batchSize);
  if (first.length === 0) throw await forwardToIndex(services, name);
  async function* links(): AsyncGenerator<Link> {
    for (let batch = first; batch.length > 0; ) {
      for (const { sha256, file_name: text, requires_python: requiresPython } of batch) {
        const href = `${index.address}/files/${sha256}/${encodeURIComponent(text)}#sha256=${sha256}`;
        yield { href, text, requiresPython };
      }
      const last = batch.at(-1);
      batch =
        last && batch.length === batchSize ? await store.filesAfter(read, projects, name, last.id, batchSize) : [];
    }
  }
  return sendPage(reply, `Links for ${name}`, links());
}

/** Redirects requests for unknown packages to the public index, if forwarding is enabled. */
async function forwardToIndex({ settings }: Services, name: string): Promise<HttpError> {
  const { pypi_package_requests_forwarding: forwarding } = await settings.read();
  if (!forwarding) return new NotFound('Package');
  const location = `https://pypi.org/simple/${name}/`;
  return new HttpError(302, `This resource is at ${location}`, { location, 'content-type': 'text/plain' });
}

export async function sendFile(
  services: Services,
  caller: Actor,
  { where }: Index,
  { sha256, '*': name }: { readonly sha256: string; readonly '*': string },
  reply: FastifyReply,
) {
  const found = await store.filesOfDigest(services.db.read, where, sha256.toLowerCase(), name);
  // The group gate admits callers who can only read some of its projects.
  const ids = [...new Set(found.map(({ project_id }) => project_id))];
  const readable = 'projectId' in where ? ids : await readableIds(services, caller, ids);
  const file = found.find(({ project_id }) => readable.includes(project_id));
  if (!file) throw new NotFound();
  return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
}

async function readableIds(services: Services, caller: Actor, ids: readonly number[]): Promise<number[]> {
  return (await readablePackagesOf(services, caller, ids)).map(({ project }) => project.id);
}
