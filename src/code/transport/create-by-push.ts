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
 * The projects that a push has made a moment ago, and where. git asks what is there before it sends: the project is made by
 * the first of these requests, and the words about it can only be shown with the second. Lost with the process, or
 * where another one answers the second: then nothing is said.
 */
const justCreated = perServer((_: Services) => new LRUCache<number, string>({ max: 1000, ttl: 5 * 60_000 }));

/** What is to be said to the one whose push has just made a project, as long as nothing is in it. */
export function creationRemark(services: Services, project: Project): readonly string[] {
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

/** A push to an address that does not exist makes a private project there, where the pusher may make one. */
export async function createByPush(
  services: Services,
  { actor, path }: { readonly actor: Actor; readonly path: string },
): Promise<Project | undefined> {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (!isSignedIn(actor) || actor.deploy || actor.job || !gitScopes(actor.scopes).push) return undefined;
  // The address of a wiki, whose project is missing too.
  if (name.endsWith('.wiki')) return undefined;
  const namespace = await lookUpNamespace(services.db.read, path.slice(0, slash));
  if (!namespace) return undefined;
  try {
    const wanted = { name, path: name, namespace_id: namespace.id, visibility: 'private' as const };
    const project = await createProject(services, actor, wanted);
    justCreated(services).set(project.id, `${namespace.full_path}/${project.path}`);
    return project;
  } catch (error) {
    // Not allowed there looks like nothing being there; a name that cannot be used is said.
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
