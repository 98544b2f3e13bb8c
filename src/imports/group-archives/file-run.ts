import { join } from 'node:path';
import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { storedStringMap } from '../../platform/stored-json.ts';
import type { GroupRun, RecordWriter } from '../group-relations/public.ts';
import { unpack, unpackOnce } from '../project-archives/public.ts';
import { ImportEnded, projectProblem, reasonOf } from '../project-imports/public.ts';
import { ofGroup, relationFile, uploadsFolder } from './files.ts';
import * as store from './store.ts';
import type { GroupImportRow } from './tables.ts';

export const importType = 'gitlab_group';

export const folderOf = ({ config }: Services, groupId: number) =>
  join(config.data, 'tmp', 'imports', `group-${groupId}`);

/** Unpacks the archive unless it has been unpacked already. */
export async function openArchive(
  services: Services,
  { namespace_id, storage_key }: GroupImportRow,
  signal: AbortSignal,
): Promise<string> {
  const folder = folderOf(services, namespace_id);
  await unpackOnce(services, folder, signal, async (limits, until) => {
    const { stream } = await services.storage.get(storage_key ?? '');
    await unpack(stream, folder, limits, until, (path) => path, ofGroup);
  });
  return folder;
}

/** The import of one group of an archive, as passed to its stages. */
export class FileRun implements GroupRun {
  readonly services: Services;
  readonly signal: AbortSignal;
  readonly userId: number;
  readonly type = importType;
  /** Source host identifier: users are specific to each archive. */
  readonly host: string;
  /** Import ID: the ID of the root group created by it. */
  readonly importId: number;
  readonly folder: string;
  /** ID of the group in the archive. */
  readonly sourceId: number;
  readonly #cursors: Record<string, string>;

  constructor(services: Services, row: GroupImportRow, folder: string, sourceId: number, signal: AbortSignal) {
    this.services = services;
    this.signal = signal;
    this.userId = row.user_id;
    this.importId = row.namespace_id;
    this.host = `group-archive:${row.namespace_id}`;
    this.folder = folder;
    this.sourceId = sourceId;
    this.#cursors = storedStringMap(row.cursors);
  }

  async actor(): Promise<SignedInActor> {
    const user = await findUser(this.services.db.read, this.userId);
    if (!user) throw new ImportEnded('the requesting user no longer exists');
    return actorOnBehalfOf(user);
  }

  async group(): Promise<Namespace> {
    const { read } = this.services.db;
    const id = await store.groupOf(read, this.importId, this.sourceId);
    const group = id === undefined ? undefined : await lookUpNamespace(read, String(id));
    // Checked again before the next attempt, which then continues with the next group.
    if (!group) throw new Error('the group no longer exists');
    return group;
  }

  async file(relation: string): Promise<string> {
    return relationFile(this.folder, this.sourceId, relation);
  }

  async uploads(): Promise<string> {
    return uploadsFolder(this.folder, this.sourceId);
  }

  readonly secretOf = (secret: string): string => {
    const sealed = this.services.encryption.sign(
      `${this.importId} ${this.sourceId} ${secret}`,
      'group-archives.upload',
    );
    return sealed.toString('hex').slice(0, 32);
  };

  cursor(name: string): string | undefined {
    return this.#cursors[name];
  }

  reached(): number {
    return Number(this.cursor('line') ?? 0);
  }

  keep(_relation: string, line: number, write: RecordWriter): Promise<void> {
    return this.advance('line', String(line), write);
  }

  miss(relation: string, line: number, error: unknown): Promise<void> {
    return this.advance('line', String(line), (trx) => this.note(trx, relation, `line ${line}`, error));
  }

  /** Saves a cursor in one transaction with the data written before it. */
  async advance(name: string, value: string, write?: RecordWriter): Promise<void> {
    const cursors = JSON.stringify({ ...this.#cursors, [name]: value });
    await this.services.db.write(async (trx) => {
      const running = await store.updateImport(trx, this.importId, { cursors, failures: 0 });
      if (!running) throw new ImportEnded('the import has ended');
      await write?.(trx);
    });
    this.#cursors[name] = value;
    fault('group-import.advanced');
  }

  /** Records a failure. */
  async fail(relation: string, source: string, error: unknown): Promise<void> {
    await this.services.db.write((trx) => this.note(trx, relation, source, error));
  }

  async note(trx: Writer, relation: string, source: string, error: unknown): Promise<void> {
    this.services.log.info({ err: error, group: this.importId, relation, source }, 'a record was not imported');
    await store.insertFailure(trx, {
      import_id: this.importId,
      relation_name: relation,
      source: `group ${this.sourceId}, ${source}`,
      exception_class: error instanceof Error ? error.name : 'Error',
      exception_message: messageOf(error),
    });
  }
}

/** Message of an error response. */
function messageOf(error: unknown): string {
  const body = error instanceof HttpError ? error.body : undefined;
  const message = isRecord(body) && typeof body.message === 'string' ? body.message : undefined;
  return message ?? projectProblem(error) ?? reasonOf(error);
}
