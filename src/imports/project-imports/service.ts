import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import {
  createProject,
  findProject,
  lockProject,
  mayCreateIn,
  noteRepository,
} from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, HttpError, Invalid } from '../../platform/http/errors.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { trimCharacters } from '../../platform/trim.ts';
import { presentStatus } from './present.ts';
import type { ImportStatusEntity } from './schema.ts';
import * as store from './store.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** An import is over, however it went; what it knew is erased. */
    'import.ended': {
      readonly projectId: number;
      /** Who asked for it. */
      readonly userId: number;
      readonly status: 'finished' | 'failed' | 'canceled';
      readonly error: string | null;
    };
  }
}

/** What credentials and options are encrypted for. */
export const purpose = 'project_imports.encrypted_data';

/** Administrators decide where projects may come from; `refusal` words it as an endpoint does. */
export async function requireSource(
  { settings }: Services,
  source: ApplicationSettings['import_sources'][number],
  refusal: (text: string) => HttpError = (text) => Forbidden.plain(text),
): Promise<void> {
  if ((await settings.read()).import_sources.includes(source)) return;
  throw refusal(`${source} import source is disabled`);
}

/** May they bring a project there: into their own namespace, or as Maintainers into a group that lets them? */
export async function mayImportInto({ db }: Services, actor: Actor, namespace: Namespace): Promise<boolean> {
  if (!(await mayCreateIn(db.read, actor, namespace))) return false;
  if (namespace.kind === 'user') return true;
  return (await groupSubject(db.read, actor, namespace)).can('import_project');
}

/** The namespace of a path as callers write it, with or without a slash before it. */
export function findTarget({ db }: Services, path: string): Promise<Namespace | undefined> {
  return lookUpNamespace(db.read, trimCharacters(path, '/'));
}

/** What is to be imported, from where, into what. */
export interface Wanted {
  readonly type: string;
  readonly source: string;
  readonly target: Namespace;
  readonly name: string;
  /** As the name unless told. */
  readonly path?: string;
  readonly description?: string | null;
  readonly visibility: 'private' | 'internal' | 'public';
  /** Where the repository is cloned from, without credentials. */
  readonly cloneUrl: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Makes the project and lets the import begin. Throws what is wrong with the project as a list of texts. */
export async function startImport(services: Services, actor: SignedInActor, wanted: Wanted): Promise<Project> {
  const { name, path = name, target, visibility, description } = wanted;
  const project = await createProject(services, actor, {
    name,
    path,
    namespace_id: target.id,
    visibility,
    description: description ?? undefined,
  });
  return beginImport(services, actor, project, wanted);
}

/** What is wrong with the project that was to be made, in one line; undefined when it is something else. */
export function projectProblem(error: unknown): string | undefined {
  if (error instanceof Invalid) {
    const texts = Object.entries(error.errors).flatMap(([field, problems]) =>
      problems.map((problem) => `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${problem}`),
    );
    return texts.join(', ');
  }
  if (!(error instanceof HttpError && error.status === 403)) return undefined;
  const { error: texts } = error.body as { error?: readonly string[] };
  return texts?.join(', ') ?? error.message;
}

/** Lets the import into a project begin that is there and empty; `alongside` is done in the same transaction. */
export async function beginImport(
  services: Services,
  actor: SignedInActor,
  project: Project,
  wanted: Pick<Wanted, 'type' | 'source' | 'cloneUrl' | 'options'>,
  alongside: (trx: Writer) => Promise<void> = async () => {},
): Promise<Project> {
  // Read where it is written: a worker that is quick may have begun before anybody could look.
  return services.db.write(async (trx) => {
    await alongside(trx);
    await enqueueImport(services, trx, actor, project.id, wanted);
    return (await findProject(trx, project.id)) ?? project;
  });
}

/**
 * Lets the import into a project that nothing came into begin anew: what it knew was erased when it failed, so it is told
 * again.
 */
export async function retryImport(
  services: Services,
  actor: SignedInActor,
  project: Project,
  wanted: Pick<Wanted, 'type' | 'source' | 'cloneUrl' | 'options'>,
): Promise<Project> {
  return services.db.write(async (trx) => {
    const now = await lockProject(trx, project.id);
    const mayBegin = now.import_status === 'failed' && now.import_type === wanted.type && now.empty_repo === 1;
    if (!mayBegin || !(await store.removeEnded(trx, project.id))) {
      throw BadRequest.plain('Only an import that has failed and brought nothing can be tried again');
    }
    await enqueueImport(services, trx, actor, project.id, wanted);
    return (await findProject(trx, project.id)) ?? project;
  });
}

/** Puts an import on record and in the queue. */
export async function enqueueImport(
  { encryption, queue }: Services,
  trx: Writer,
  actor: SignedInActor,
  projectId: number,
  { type, source, cloneUrl, options }: Pick<Wanted, 'type' | 'source' | 'cloneUrl' | 'options'>,
): Promise<void> {
  await store.insertImport(trx, {
    project_id: projectId,
    import_type: type,
    import_source: source,
    user_id: actor.user.id,
    encrypted_data: encryption.encrypt(JSON.stringify(options), purpose),
    correlation_id: randomUUID().replaceAll('-', ''),
  });
  const columns = { import_status: 'scheduled', import_type: type, import_url: cloneUrl, import_error: null };
  await noteRepository(trx, projectId, columns);
  await queue.enqueue(trx, 'imports.run', { projectId }, { dedupeKey: `${projectId}` });
}

/** Ends an import: what it knew is erased, what it brought stays. False when it had ended before. */
export async function endImport(
  { db, announce }: Services,
  projectId: number,
  status: 'finished' | 'failed' | 'canceled',
  error: string | null,
): Promise<boolean> {
  return db.write(async (trx) => {
    const stats = JSON.stringify(statsOf(await store.countObjects(trx, projectId)));
    if (!(await store.updateImport(trx, projectId, { encrypted_data: null, cursors: '{}', stats }))) return false;
    await store.forgetObjects(trx, projectId);
    await noteRepository(trx, projectId, { import_status: status, import_error: error });
    const userId = (await store.findImport(trx, projectId))?.user_id;
    if (userId !== undefined) await announce(trx, 'import.ended', { projectId, userId, status, error });
    return true;
  });
}

const Counts = Type.Record(Type.String(), Type.Integer());
/** What was counted when an import ended. */
export const readStats = storedJson(Type.Object({ fetched: Counts, imported: Counts }));

function statsOf(counts: readonly { kind: string; fetched: number; imported: number }[]) {
  const by = (field: 'fetched' | 'imported') => Object.fromEntries(counts.map((count) => [count.kind, count[field]]));
  return { fetched: by('fetched'), imported: by('imported') };
}

/** How far the import of a project has come. */
export async function importStatus({ db }: Services, subject: ProjectSubject): Promise<ImportStatusEntity> {
  const { id } = subject.project;
  const row = await store.findImport(db.read, id);
  const failures = row ? await store.failuresOf(db.read, id) : [];
  const frozen = row?.stats ? readStats(row.stats) : undefined;
  const stats = row && (frozen ?? statsOf(await store.countObjects(db.read, id)));
  return presentStatus(subject, row, failures, stats);
}

/** Cancels an import that has not ended. */
export async function cancelImport(services: Services, project: Project): Promise<Project> {
  const ended = ['none', 'scheduled', 'started'].includes(project.import_status)
    ? await endImport(services, project.id, 'canceled', null)
    : false;
  const now = (await findProject(services.db.read, project.id)) ?? project;
  if (ended) return now;
  throw new HttpError(400, {
    message: `The import cannot be canceled because it is ${now.import_status}`,
  });
}
