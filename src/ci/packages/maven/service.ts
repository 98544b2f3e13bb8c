import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject } from '../../../access/subjects.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { readablePackagesOf } from '../gate.ts';
import { send } from '../service.ts';
import { projectsWith } from '../store.ts';
import { readMavenPath } from './names.ts';
import * as store from './store.ts';

const maxProjects = 100;

/** Resolves a package name to the projects to search. */
export type Search = (name: string) => Promise<readonly number[]>;

/** Searches one project. */
export const searchProject =
  ({ project }: ProjectSubject): Search =>
  async () => [project.id];

async function readable(services: Services, caller: Actor, ids: readonly number[]): Promise<number[]> {
  return (await readablePackagesOf(services, caller, ids)).map(({ project }) => project.id);
}

/** Searches the projects of a namespace whose packages the caller can read. */
export function searchNamespace(services: Services, caller: Actor, namespaceId: number): Search {
  return async (name) => {
    const named = { package_type: 'maven' as const, name };
    return readable(services, caller, await projectsWith(services.db.read, named, namespaceId, maxProjects));
  };
}

/**
 * Searches the whole instance: only the project whose path equals the package name, so that names cannot be hijacked.
 */
export function searchInstance(services: Services, caller: Actor): Search {
  return async (name) => {
    const found = name.includes('/') ? await lookUpProject(services.db.read, name) : undefined;
    return found ? readable(services, caller, [found.project.id]) : [];
  };
}

/** Sends the latest file with a name, or its digest. */
export async function sendFile(services: Services, search: Search, rest: string, reply: FastifyReply) {
  const path = readMavenPath(rest);
  const projects = path ? await search(path.name) : [];
  const file = path && projects.length > 0 ? await store.newestFile(services.db.read, projects, path) : undefined;
  if (!path || !file) throw new NotFound();
  if (path.digest === undefined) {
    return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
  }
  const digest = file[path.digest];
  if (digest === null) throw new NotFound();
  return reply.type('text/plain; charset=utf-8').send(digest);
}
