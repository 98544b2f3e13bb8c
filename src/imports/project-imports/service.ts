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
  updateRepositoryColumns,
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
    /** An import has ended, successfully or not; its credentials are erased. */
    'import.ended': {
      readonly projectId: number;
      /** The requesting user. */
      readonly userId: number;
      readonly status: 'finished' | 'failed' | 'canceled';
      readonly error: string | null;
    };
  }
}

/** Encryption purpose of credentials and options. */
export const purpose = 'project_imports.encrypted_data';

/**
 * Throws if administrators have disabled the import source. `refusal` creates the error in the format of the endpoint.
 */
export async function requireSource(
  { settings }: Services,
  source: ApplicationSettings['import_sources'][number],
  refusal: (text: string) => HttpError = (text) => Forbidden.plain(text),
): Promise<void> {
  if ((await settings.read()).import_sources.includes(source)) return;
  throw refusal(`${source} import source is disabled`);
}

/** Whether a user may import projects into a namespace: their own, or a group that allows it for their role. */
export async function mayImportInto({ db }: Services, actor: Actor, namespace: Namespace): Promise<boolean> {
  if (!(await mayCreateIn(db.read, actor, namespace))) return false;
  if (namespace.kind === 'user') return true;
  return (await groupSubject(db.read, actor, namespace)).can('import_project');
}

/** Finds a namespace by path, with or without a leading slash. */
export function findTarget({ db }: Services, path: string): Promise<Namespace | undefined> {
  return lookUpNamespace(db.read, trimCharacters(path, '/'));
}

/** Source and target of an import. */
export interface ImportRequest {
  readonly type: string;
  readonly source: string;
  readonly target: Namespace;
  readonly name: string;
  /** Defaults to the name. */
  readonly path?: string;
  readonly description?: string | null;
  readonly visibility: 'private' | 'internal' | 'public';
  /** URL of the repository, without credentials. */
  readonly cloneUrl: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Creates the project and starts its import. Throws `Invalid` if the project is invalid. */
export async function startImport(services: Services, actor: SignedInActor, request: ImportRequest): Promise<Project> {
  const { name, path = name, target, visibility, description } = request;
  const project = await createProject(services, actor, {
    name,
    path,
    namespace_id: target.id,
    visibility,
    description: description ?? undefined,
  });
  return beginImport(services, actor, project, request);
}

/** Validation errors of the new project in one line; undefined for other errors. */
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

/** Starts the import into an existing empty project. `alongside` runs in the same transaction. */
export async function beginImport(
  services: Services,
  actor: SignedInActor,
  project: Project,
  request: Pick<ImportRequest, 'type' | 'source' | 'cloneUrl' | 'options'>,
  alongside: (trx: Writer) => Promise<void> = async () => {},
): Promise<Project> {
  // Read in the same transaction, because a worker may start before a later read.
  return services.db.write(async (trx) => {
    await alongside(trx);
    await enqueueImport(services, trx, actor, project.id, request);
    return (await findProject(trx, project.id)) ?? project;
  });
}

/** Restarts a failed import that imported nothing. Its options were erased, so they are passed again. */
export async function retryImport(
  services: Services,
  actor: SignedInActor,
  project: Project,
  request: Pick<ImportRequest, 'type' | 'source' | 'cloneUrl' | 'options'>,
): Promise<Project> {
  return services.db.write(async (trx) => {
    const now = await lockProject(trx, project.id);
    const mayBegin = now.import_status === 'failed' && now.import_type === request.type && now.empty_repo === 1;
    if (!mayBegin || !(await store.removeEnded(trx, project.id))) {
      throw BadRequest.plain('Only an import that has failed and brought nothing can be tried again');
    }
    await enqueueImport(services, trx, actor, project.id, request);
    return (await findProject(trx, project.id)) ?? project;
  });
}

/** Saves and enqueues an import. */
export async function enqueueImport(
  { encryption, queue }: Services,
  trx: Writer,
  actor: SignedInActor,
  projectId: number,
  { type, source, cloneUrl, options }: Pick<ImportRequest, 'type' | 'source' | 'cloneUrl' | 'options'>,
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
  await updateRepositoryColumns(trx, projectId, columns);
  await queue.enqueue(trx, 'imports.run', { projectId }, { dedupeKey: `${projectId}` });
}

/** Ends an import: its credentials are erased, imported content is kept. Returns false if it had already ended. */
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
    await updateRepositoryColumns(trx, projectId, { import_status: status, import_error: error });
    const userId = (await store.findImport(trx, projectId))?.user_id;
    if (userId !== undefined) await announce(trx, 'import.ended', { projectId, userId, status, error });
    return true;
  });
}

const Counts = Type.Record(Type.String(), Type.Integer());
/** Statistics saved when an import ended. */
export const readStats = storedJson(Type.Object({ fetched: Counts, imported: Counts }));

function statsOf(counts: readonly { kind: string; fetched: number; imported: number }[]) {
  const by = (field: 'fetched' | 'imported') => Object.fromEntries(counts.map((count) => [count.kind, count[field]]));
  return { fetched: by('fetched'), imported: by('imported') };
}

/** Status of a project import. */
export async function importStatus({ db }: Services, subject: ProjectSubject): Promise<ImportStatusEntity> {
  const { id } = subject.project;
  const row = await store.findImport(db.read, id);
  const failures = row ? await store.failuresOf(db.read, id) : [];
  const frozen = row?.stats ? readStats(row.stats) : undefined;
  const stats = row && (frozen ?? statsOf(await store.countObjects(db.read, id)));
  return presentStatus(subject, row, failures, stats);
}

/** Cancels a running import. */
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
