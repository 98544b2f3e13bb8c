import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpNamespace, type ProjectSubject } from '../../../access/subjects.ts';
import { BadRequest, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { readablePackagesOf } from '../gate.ts';
import { isSemver } from '../rules.ts';
import { send } from '../service.ts';
import { fileNamed, packageNamed, projectsWith } from '../store.ts';
import { documentText } from './document.ts';
import { isNpmTag, readNpmAddress, readNpmTagAddress, scopeOf } from './names.ts';
import * as store from './store.ts';

const batchSize = 100;
const maxProjects = 100;
const maxVersionLength = 1024;
const publicRegistry = 'https://registry.npmjs.org';

/** Resolves a package name to the projects to search. */
export type Search = (name: string) => Promise<readonly number[]>;

/** Searches one project. */
export const searchProject =
  ({ project }: ProjectSubject): Search =>
  async () => [project.id];

/** Searches the projects of a namespace whose packages the caller can read. */
export function searchNamespace(services: Services, caller: Actor, namespaceId: number): Search {
  return async (name) => {
    const found = await projectsWith(services.db.read, { package_type: 'npm', name }, namespaceId, maxProjects);
    return (await readablePackagesOf(services, caller, found)).map(({ project }) => project.id);
  };
}

/** Searches the whole instance: the projects whose root namespace equals the scope of the package. */
export function searchInstance(services: Services, caller: Actor): Search {
  return async (name) => {
    const scope = scopeOf(name);
    const root =
      scope === undefined || /^\d+$/.test(scope) ? undefined : await lookUpNamespace(services.db.read, scope);
    return root ? searchNamespace(services, caller, root.id)(name) : [];
  };
}

/** Sends the document of a package. If enabled, requests for unknown packages are redirected to the public registry. */
export async function sendDocument(services: Services, search: Search, rest: string, reply: FastifyReply) {
  const address = readNpmAddress(rest);
  if (!address || address.file !== undefined) throw new NotFound();
  const { name } = address;
  const { read } = services.db;
  const named = { projects: await search(name), name };
  const first = await nextVersions(services, named);
  if (first.length === 0) throw await forwardToRegistry(services, `/${name.replace('/', '%2f')}`, 302, 'Packages');
  const tags = await tagsOf(services, named);
  async function* versions() {
    const seen = new Set<string | null>();
    for (let batch = first; batch.length > 0; ) {
      // If several projects have the same version, the latest one counts.
      for (const row of batch) {
        if (seen.has(row.version)) continue;
        seen.add(row.version);
        yield row;
      }
      const last = batch.at(-1);
      batch = last && batch.length === batchSize ? await store.versionsBefore(read, named, last.id, batchSize) : [];
    }
  }
  const text = documentText(`${services.externalUrl}/api/v4`, name, tags, versions());
  return reply.type('application/json').send(Readable.from(text));
}

async function nextVersions({ db }: Services, named: store.NamedIn) {
  if (named.projects.length === 0) return [];
  return store.versionsBefore(db.read, named, Number.MAX_SAFE_INTEGER, batchSize);
}

/** Tags of a package. Without a `latest` tag, the latest version gets it. */
async function tagsOf({ db }: Services, named: store.NamedIn): Promise<Record<string, string>> {
  const [tags, [newest]] = await Promise.all([
    store.tagsOf(db.read, named),
    store.versionsBefore(db.read, named, Number.MAX_SAFE_INTEGER, 1),
  ]);
  return { ...(newest?.version == null ? {} : { latest: newest.version }), ...Object.fromEntries(tags) };
}

/** Redirects to the public registry, if forwarding is enabled. */
async function forwardToRegistry(
  services: Services,
  path: string,
  status: 302 | 307,
  missing?: string,
): Promise<HttpError> {
  const { npm_package_requests_forwarding: forwarding } = await services.settings.read();
  if (!forwarding) return new NotFound(missing);
  const location = `${publicRegistry}${path}`;
  return new HttpError(status, `This resource is at ${location}`, { location, 'content-type': 'text/plain' });
}

/** Redirects `npm audit` to the public registry, which has the advisories. */
export async function audit(services: Services, request: FastifyRequest): Promise<never> {
  (request.body as Readable | undefined)?.resume();
  throw await forwardToRegistry(services, request.url.slice(request.url.indexOf('/-/npm/v1/')), 307);
}

export async function sendTarball(services: Services, subject: ProjectSubject, rest: string, reply: FastifyReply) {
  const address = readNpmAddress(rest);
  if (address?.file === undefined) return sendDocument(services, searchProject(subject), rest, reply);
  const { name, file: fileName } = address;
  const version = versionIn(name, fileName);
  const { read } = services.db;
  const named = { project_id: subject.project.id, package_type: 'npm' as const, name };
  const found = version === undefined ? undefined : await packageNamed(read, { ...named, version });
  const file = found && (await fileNamed(read, found.id, `${name}-${version}.tgz`));
  if (!found || !file) throw new NotFound();
  return send(services, found, file, reply);
}

/** Version in a file name. Some clients omit the scope. */
export function versionIn(name: string, file: string): string | undefined {
  const short = name.slice(name.indexOf('/') + 1);
  const rest = [name, short].find((own) => file.startsWith(`${own}-`) && file.endsWith('.tgz'));
  return rest && file.slice(rest.length + 1, -'.tgz'.length);
}

function requireTags(rest: string) {
  const address = readNpmTagAddress(rest);
  if (!address) throw new NotFound();
  return address;
}

export async function listTags(services: Services, search: Search, rest: string): Promise<Record<string, string>> {
  const { name, tag } = requireTags(rest);
  if (tag !== undefined) throw new NotFound();
  const named = { projects: await search(name), name };
  if ((await nextVersions(services, named)).length === 0) throw new NotFound('Package');
  return tagsOf(services, named);
}

/** Points a tag to the version given in the body. */
export async function setTag(services: Services, { project }: ProjectSubject, rest: string, request: FastifyRequest) {
  const version = await readVersion(request.body as Readable | undefined);
  const { name, tag } = requireTags(rest);
  if (tag === undefined || !isNpmTag(tag)) throw new BadRequest('Tag is invalid');
  if (!isSemver(version)) throw new BadRequest('Version is invalid');
  await services.db.write(async (trx) => {
    const found = await packageNamed(trx, { project_id: project.id, package_type: 'npm', name, version });
    if (!found) throw new NotFound('Package');
    await store.setTag(trx, found, tag);
  });
}

/** Reads a version, with or without quotes. */
async function readVersion(body: Readable | undefined): Promise<string> {
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Buffer>) {
    // The rest is read to keep the connection usable; a version this long is never valid.
    if (text.length <= maxVersionLength) text += chunk.toString();
  }
  return text.trim().replace(/^"(.*)"$/s, '$1');
}

export async function removeTag(services: Services, { project }: ProjectSubject, rest: string): Promise<void> {
  const { name, tag = '' } = requireTags(rest);
  const deleted = await services.db.write((trx) => store.deleteTag(trx, project.id, name, tag));
  if (!deleted) throw new NotFound('Package tag');
}
