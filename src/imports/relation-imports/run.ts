import type { Services } from '../../access/services.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { storedTexts } from '../../platform/stored-json.ts';
import type { ArchiveOptions } from '../project-archives/public.ts';
import { ImportRun } from '../project-imports/public.ts';
import * as store from './store.ts';
import type { RelationImportRow } from './tables.ts';

/** What the kinds of objects that have numbers are here. */
const tables: Readonly<Record<string, store.Numbered>> = {
  issue: 'issues',
  pull_request: 'merge_requests',
  milestone: 'milestones',
  pipeline: 'pipelines',
};

/** Where the file of an import lies, and what comes out of it. */
export const placeOf = (id: number) => `relation-${id}`;

/** One relation on its way into a project that has some of it already, as its stage sees it. */
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
      storedAs: { key: row.storage_key ?? '', folder: placeOf(row.id) },
      keepsUploads: true,
      salt: services.encryption.sign(String(row.id), 'relation-imports.salt').toString('hex'),
    };
    const context = { ...place, userId: row.user_id, type: 'gitlab_project', source: row.relation };
    super(services, context, { ...options }, storedTexts(row.cursors), signal);
    this.#importId = row.id;
  }

  protected override keepCursors(trx: Writer, cursors: string): Promise<boolean> {
    return store.updateImport(trx, this.#importId, { cursors, failures: 0 });
  }

  protected override async isRunning(trx: Writer): Promise<boolean> {
    return (await store.findImport(trx, this.#importId))?.storage_key != null;
  }

  /** What has the number and is not of this import stays as it is. */
  override async isHere(kind: string, number: number): Promise<boolean> {
    return (await super.targetOf(kind, number)) === undefined && (await this.#idOf(kind, number)) !== undefined;
  }

  /** What is not of this import may be named by its number all the same: the milestone of an issue. */
  override async targetOf(kind: string, sourceId: string | number): Promise<number | undefined> {
    const brought = await super.targetOf(kind, sourceId);
    return brought ?? (kind === 'milestone' ? this.#idOf(kind, Number(sourceId)) : undefined);
  }

  async #idOf(kind: string, number: number): Promise<number | undefined> {
    const table = tables[kind];
    return table && store.idOfNumber(this.services.db.read, table, this.project.id, number);
  }
}
