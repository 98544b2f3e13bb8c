import { LRUCache } from 'lru-cache';
import { type Actor, isSignedIn } from '../../access/actor.ts';
import { gitScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { createProject } from '../../namespaces/projects/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';
import { GitRefusal } from './refusal.ts';

/**
 * Projects recently created by a push, with their paths. git lists the refs before it sends: the first request creates
 * the project, and only the second can show the notice. The entry is lost if the process restarts or another one
 * answers the second request; then no notice is shown.
 */
const justCreated = perServer((_: Services) => new LRUCache<number, string>({ max: 1000, ttl: 5 * 60_000 }));

/** The notice for a push that has just created a project, as long as the project is empty. */
export function creationNotice(services: Services, project: Project): readonly string[] {
  const path = justCreated(services).get(project.id);
  if (path === undefined || project.empty_repo !== 1) return [];
  const url = `${services.externalUrl}/${path}`;
  return [
    `The private project ${path} was successfully created.`,
    '',
    'To configure the remote, run:',
    `  git remote add origin ${url}.git`,
    '',
    'To view the project, visit:',
    `  ${url}`,
  ];
}

/** Creates a private project for a push to a path that does not exist, if the user may create projects there. */
export async function createByPush(
  services: Services,
  { actor, path }: { readonly actor: Actor; readonly path: string },
): Promise<Project | undefined> {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (!isSignedIn(actor) || actor.deploy || actor.job || !gitScopes(actor.scopes).push) return undefined;
  // The URL of a wiki whose project does not exist.
  if (name.endsWith('.wiki')) return undefined;
  const namespace = await lookUpNamespace(services.db.read, path.slice(0, slash));
  if (!namespace) return undefined;
  try {
    const params = { name, path: name, namespace_id: namespace.id, visibility: 'private' as const };
    const project = await createProject(services, actor, params);
    justCreated(services).set(project.id, `${namespace.full_path}/${project.path}`);
    return project;
  } catch (error) {
    // A missing permission looks like a missing path; an invalid name is reported.
    if (error instanceof HttpError && error.status === 400 && !isNamespaceRefusal(error)) {
      throw new GitRefusal(422, `The project could not be created: ${describe(error)}`);
    }
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

function messages(error: HttpError): Record<string, unknown> {
  const { message } = error.body as { message?: unknown };
  return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : {};
}

function isNamespaceRefusal(error: HttpError): boolean {
  return 'namespace' in messages(error);
}

function describe(error: HttpError): string {
  const texts = Object.entries(messages(error)).map(([field, problems]) => `${field} ${[problems].flat().join(', ')}`);
  return texts.join('; ') || error.message;
}
