import type { Services } from '../../access/services.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { storedStringMap } from '../../platform/stored-json.ts';
import type { ArchiveOptions } from '../project-archives/public.ts';
import { ImportRun } from '../project-imports/public.ts';
import * as store from './store.ts';
import type { RelationImportRow } from './tables.ts';

/** Tables of object kinds that have numbers. */
const tables: Readonly<Record<string, store.Numbered>> = {
  issue: 'issues',
  pull_request: 'merge_requests',
  milestone: 'milestones',
  pipeline: 'pipelines',
};

/** Name of the folder for the archive and its contents. */
export const archiveFolderName = (id: number) => `relation-${id}`;

/** The import of one relation into a project that already has content, as passed to its stage. */
export class RelationRun extends ImportRun {
  readonly #importId: number;

  constructor(
    services: Services,
    row: RelationImportRow,
    place: { readonly project: Project; readonly namespace: Namespace },
    signal: AbortSignal,
  ) {
    const options: ArchiveOptions = {
      url: null,
      overrides: {},
      storedAs: { key: row.storage_key ?? '', folder: archiveFolderName(row.id) },
      keepsUploads: true,
      salt: services.encryption.sign(String(row.id), 'relation-imports.salt').toString('hex'),
    };
    const context = { ...place, userId: row.user_id, type: 'gitlab_project', source: row.relation };
    super(services, context, { ...options }, storedStringMap(row.cursors), signal);
    this.#importId = row.id;
  }

  protected override saveCursors(trx: Writer, cursors: string): Promise<boolean> {
    return store.updateImport(trx, this.#importId, { cursors, failures: 0 });
  }

  protected override async isRunning(trx: Writer): Promise<boolean> {
    return (await store.findImport(trx, this.#importId))?.storage_key != null;
  }

  /** Existing objects with the same number that do not belong to this import are left unchanged. */
  override async isHere(kind: string, number: number): Promise<boolean> {
    return (await super.targetOf(kind, number)) === undefined && (await this.#idOf(kind, number)) !== undefined;
  }

  /** Existing milestones can be referenced by number even if this import did not create them. */
  override async targetOf(kind: string, sourceId: string | number): Promise<number | undefined> {
    const imported = await super.targetOf(kind, sourceId);
    return imported ?? (kind === 'milestone' ? this.#idOf(kind, Number(sourceId)) : undefined);
  }

  async #idOf(kind: string, number: number): Promise<number | undefined> {
    const table = tables[kind];
    return table && store.idOfNumber(this.services.db.read, table, this.project.id, number);
  }
}
