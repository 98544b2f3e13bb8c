import { type Actor, isSignedIn, type SignedInActor } from '../../access/actor.ts';
import { restrictionProblems } from '../../access/application-settings/visibility.ts';
import { Visibility, type VisibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject, readableProject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { userAgentDetail } from '../user-agents/public.ts';
import { mayChangeInProject, mayReadInProject, mayReadPersonal } from './access.ts';
import { checkDescription, checkTitle, editsOfSingle, readActions, snippetError } from './actions.ts';
import { addSnippet } from './add.ts';
import { commitEdits, filesOf } from './content.ts';
import { presentSnippets, storedFiles } from './present.ts';
import { removeSnippets } from './removal.ts';
import type { NewSnippetParams, SnippetChangeParams, SnippetEntity } from './schema.ts';
import * as store from './store.ts';
import type { SnippetRow } from './tables.ts';

/** A snippet and its project as seen by the caller; null for a personal one. */
interface Placed {
  readonly snippet: SnippetRow;
  readonly subject: ProjectSubject | null;
}

/** Returns any snippet that the caller may read. */
async function placed({ db }: Services, caller: Actor, id: number): Promise<Placed> {
  const snippet = await store.findSnippet(db.read, id);
  if (!snippet) throw new NotFound('Snippet');
  const project = snippet.project_id === null ? undefined : await findProject(db.read, snippet.project_id);
  const subject = project ? await projectSubject(db.read, caller, project) : null;
  if (subject !== null && !subject.can('read_project')) throw new NotFound('Snippet');
  if (!isReadable(caller, subject, snippet)) throw new NotFound('Snippet');
  return { snippet, subject };
}

export async function readableSnippet(services: Services, caller: Actor, id: number): Promise<SnippetRow> {
  return (await placed(services, caller, id)).snippet;
}

/** Returns a snippet that the caller created: the routes by global ID only let authors change snippets. */
async function ownSnippet(services: Services, caller: SignedInActor, id: number): Promise<Placed> {
  const found = await placed(services, caller, id);
  if (found.snippet.author_id !== caller.user.id) throw new NotFound('Snippet');
  if (!isChangeable(caller, found.subject, found.snippet)) throw new Forbidden();
  return found;
}

/** Returns a snippet of this project that the caller may read. */
export async function readableInProject(
  { db }: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
  missing: () => Error = () => new NotFound('Snippet'),
): Promise<SnippetRow> {
  const snippet = await store.findSnippet(db.read, id);
  if (!snippet || snippet.project_id !== subject.project.id) throw missing();
  if (!mayReadInProject(caller, subject, snippet)) throw missing();
  return snippet;
}

async function changeableInProject(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<SnippetRow> {
  const snippet = await readableInProject(services, caller, subject, id);
  if (!mayChangeInProject(caller, subject, snippet)) throw new Forbidden();
  return snippet;
}

async function presentSnippet(services: Services, caller: Actor, snippet: SnippetRow): Promise<SnippetEntity> {
  const [entity] = await presentSnippets(services, caller, [snippet]);
  if (!entity) throw new NotFound('Snippet');
  return entity;
}

export async function getSnippet(services: Services, caller: Actor, id: number): Promise<SnippetEntity> {
  return presentSnippet(services, caller, await readableSnippet(services, caller, id));
}

export async function getInProject(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  id: number,
): Promise<SnippetEntity> {
  return presentSnippet(services, caller, await readableInProject(services, caller, subject, id, NotFound.record));
}

export async function userAgentOf(services: Services, caller: Actor, id: number) {
  const { id: snippet_id } = await readableSnippet(services, caller, id);
  return userAgentDetail(services.db.read, { snippet_id });
}

export async function userAgentInProject(services: Services, caller: Actor, projectId: string, id: number) {
  const subject = await readableProject(services.db, caller, projectId);
  const { id: snippet_id } = await readableInProject(services, caller, subject, id);
  return userAgentDetail(services.db.read, { snippet_id });
}

/** Visibility level of a snippet; throws if the instance restricts it. */
export async function snippetVisibility({ settings }: Services, caller: Actor, name: VisibilityName): Promise<number> {
  const level = Visibility[name];
  const [problem] = restrictionProblems(await settings.read(), caller, level);
  if (problem !== undefined) throw snippetError(`Visibility level ${problem}`, 403);
  return level;
}

export async function createSnippet(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject | null,
  params: NewSnippetParams,
): Promise<SnippetEntity> {
  if (subject === null && caller.user.external === 1) throw new Forbidden();
  const visibility = await snippetVisibility(services, caller, params.visibility);
  const { title, description, content = '', file_name = '' } = params;
  const files = params.files ?? [{ file_path: file_name, content }];
  const wanted = { title, description, visibility, files };
  const snippet = await addSnippet(services, caller.user, subject, wanted, caller);
  return presentSnippet(services, caller, snippet);
}

async function changeSnippet(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject | null,
  found: SnippetRow,
  params: SnippetChangeParams,
): Promise<SnippetEntity> {
  const { db, git, announce } = services;
  const present = storedFiles(found.files);
  if ((params.content !== undefined || params.file_name !== undefined) && present.length > 1) {
    throw snippetError('To update Snippets with multiple files, you must use the `files` parameter');
  }
  const change = {
    ...(params.title === undefined ? {} : { title: checkTitle(params.title) }),
    ...(params.description === undefined ? {} : { description: checkDescription(params.description) ?? null }),
    ...(params.visibility === undefined
      ? {}
      : { visibility: await snippetVisibility(services, caller, params.visibility) }),
  };
  const edits = params.files ? readActions(params.files, present) : editsOfSingle(present, params);
  const repo = git.repository(found.repository);
  if (edits.length > 0) await commitEdits(services, caller.user, repo, edits);
  const snippet = await db.write(async (trx) => {
    const locked = await lockRow(trx, 'snippets', found.id);
    if (!locked) throw new NotFound('Snippet');
    // Read within the lock: of several concurrent edits, the last one stores the current files.
    const files = edits.length > 0 ? { files: JSON.stringify(await filesOf(services, repo)) } : {};
    const after = await store.updateSnippet(trx, found.id, { ...change, ...files, updated_at: Date.now() });
    const project = subject?.project ?? null;
    await announce(trx, 'snippet.changed', { action: 'update', actorId: caller.user.id, snippet: after, project });
    return after;
  });
  return presentSnippet(services, caller, snippet);
}

export async function updateSnippet(
  services: Services,
  caller: SignedInActor,
  id: number,
  params: SnippetChangeParams,
): Promise<SnippetEntity> {
  const { snippet, subject } = await ownSnippet(services, caller, id);
  return changeSnippet(services, caller, subject, snippet, params);
}

export async function updateInProject(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  params: SnippetChangeParams,
): Promise<SnippetEntity> {
  const snippet = await changeableInProject(services, caller, subject, id);
  return changeSnippet(services, caller, subject, snippet, params);
}

async function removeSnippet(
  services: Services,
  { user }: SignedInActor,
  snippet: SnippetRow,
  project: Project | null,
): Promise<void> {
  const isRemoved = await services.db.write((trx) => removeSnippets(services, trx, [snippet], user.id, project));
  if (!isRemoved) throw new NotFound('Snippet');
}

export async function deleteSnippet(
  services: Services,
  caller: SignedInActor,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const { snippet, subject } = await ownSnippet(services, caller, id);
  checkUnmodified(http, snippet.updated_at);
  const project = subject?.project ?? null;
  await removeSnippet(services, caller, snippet, project);
}

export async function deleteInProject(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const snippet = await changeableInProject(services, caller, subject, id);
  checkUnmodified(http, snippet.updated_at);
  await removeSnippet(services, caller, snippet, subject.project);
}

/** Whether the caller may pull the snippet's repository. */
export function isReadable(caller: Actor, subject: ProjectSubject | null, snippet: SnippetRow): boolean {
  if (subject === null) return mayReadPersonal(caller, snippet);
  return mayReadInProject(caller, subject, snippet);
}

/** Whether the caller may push to the snippet's repository. */
export function isChangeable(caller: Actor, subject: ProjectSubject | null, snippet: SnippetRow): boolean {
  if (subject === null) return isSignedIn(caller) && caller.user.id === snippet.author_id;
  return isSignedIn(caller) && mayChangeInProject(caller, subject, snippet);
}
