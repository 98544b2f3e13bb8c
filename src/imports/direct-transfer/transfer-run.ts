import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { storedStringMap } from '../../platform/stored-json.ts';
import type { HostClient } from '../host-client/public.ts';
import { ImportEnded, reasonOf } from '../project-imports/public.ts';
import { readTransferStats } from './present.ts';
import { decryptAccess, type SourceAccess, sourceClient } from './source.ts';
import * as store from './store.ts';
import type { BulkImportRow, EntityRow } from './tables.ts';

/** A running entity, as passed to its stages. */
export class TransferRun {
  readonly services: Services;
  readonly entity: EntityRow;
  readonly access: SourceAccess;
  readonly client: HostClient;
  readonly signal: AbortSignal;
  readonly #cursors: Record<string, string>;
  readonly #stats: ReturnType<typeof readTransferStats>;

  constructor(
    services: Services,
    bulkImport: BulkImportRow & { readonly encrypted_data: string },
    entity: EntityRow,
    signal: AbortSignal,
  ) {
    this.services = services;
    this.entity = entity;
    this.access = decryptAccess(services, bulkImport);
    this.client = sourceClient(services, this.access);
    this.signal = signal;
    this.#cursors = storedStringMap(entity.cursors);
    this.#stats = readTransferStats(entity.stats);
  }

  /** The user who requested the migration. */
  async actor(): Promise<SignedInActor> {
    const user = await findUser(this.services.db.read, this.entity.user_id);
    if (!user) throw new ImportEnded('the requesting user no longer exists');
    return actorOnBehalfOf(user);
  }

  cursor(name: string): string | undefined {
    return this.#cursors[name];
  }

  /** Saves a cursor in one transaction with the data written before it. */
  async advance(name: string, value: string, write?: (trx: Writer) => Promise<void>): Promise<void> {
    const cursors = { ...this.#cursors, [name]: value };
    await this.services.db.write(async (trx) => {
      const columns = { cursors: JSON.stringify(cursors), stats: JSON.stringify(this.#stats), failures: 0 };
      if (!(await store.updateEntity(trx, this.entity.id, columns))) throw new ImportEnded('the import has ended');
      await write?.(trx);
    });
    this.#cursors[name] = value;
    fault('transfer.advanced');
  }

  /** Counts a record of a relation; saved with the next step. */
  count(relation: string, imported: boolean): void {
    this.#add(relation, 1, imported);
  }

  /** Reverts an unsaved count. */
  uncount(relation: string, imported: boolean): void {
    this.#add(relation, -1, imported);
  }

  #add(relation: string, by: 1 | -1, imported: boolean): void {
    const { source, fetched, imported: before } = this.#stats[relation] ?? { source: 0, fetched: 0, imported: 0 };
    this.#stats[relation] = { source: source + by, fetched: fetched + by, imported: before + (imported ? by : 0) };
  }

  /** Failure record of an error. */
  failure(relation: string, title: string, error: unknown) {
    this.services.log.info({ err: error, entity: this.entity.id, relation }, 'a record was not migrated');
    return {
      relation,
      source_title: title.replaceAll('\0', '\uFFFD').slice(0, 255),
      exception_class: error instanceof Error ? error.name : 'Error',
      exception_message: reasonOf(error),
    };
  }

  async fail(relation: string, title: string, error: unknown): Promise<void> {
    const row = this.failure(relation, title, error);
    await this.services.db.write((trx) => store.insertFailures(trx, this.entity, [row]));
  }
}

/** A stage. Restarted from the beginning after a crash, it continues at its cursors. */
export interface TransferStage {
  readonly name: string;
  run(run: TransferRun): Promise<void>;
}
