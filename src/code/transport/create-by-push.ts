import { type Actor, isSignedIn } from '../../access/actor.ts';
import { gitScopes } from '../../access/scopes.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { createProject } from '../../namespaces/projects/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { GitRefusal } from './refusal.ts';

const announcements = new WeakMap<
  Services,
  Map<number, { readonly lines: readonly string[]; readonly until: number }>
>();
const kept = 5 * 60_000;
const most = 1000;

// git asks what is there before it sends: the project is made by the first of these requests, and the words about it
// can only be shown with the second.
function announce(services: Services, projectId: number, lines: readonly string[]): void {
  const known = announcements.get(services) ?? new Map();
  announcements.set(services, known);
  if (known.size >= most) known.clear();
  known.set(projectId, { lines, until: Date.now() + kept });
}

/** What is to be said to the one whose push has just made a project, as long as nothing is in it. */
export function creationRemark(services: Services, project: Project): readonly string[] {
  const known = announcements.get(services)?.get(project.id);
  return known && project.empty_repo === 1 && known.until > Date.now() ? known.lines : [];
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
    const url = `${services.externalUrl}/${namespace.full_path}/${project.path}`;
    announce(services, project.id, [
      `The private project ${namespace.full_path}/${project.path} was successfully created.`,
      '',
      'To configure the remote, run:',
      `  git remote add origin ${url}.git`,
      '',
      'To view the project, visit:',
      `  ${url}`,
    ]);
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
