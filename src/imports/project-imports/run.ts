import { hash } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import * as store from './store.ts';

/** The import was canceled or its project deleted while it was running. */
export class ImportEnded extends Error {
  override readonly name = 'ImportEnded';
}

const maxKeyLength = 255;

/** The identifier of a source object in a form that can be indexed. */
function keyOf(sourceId: string | number): string {
  const key = String(sourceId).replaceAll('\0', '\uFFFD');
  return key.length <= maxKeyLength ? key : `${key.slice(0, 200)}-${hash('sha1', key, 'hex')}`;
}

/** Context of an import. */
interface ImportContext {
  readonly project: Project;
  readonly namespace: Namespace;
  /** The requesting user. */
  readonly userId: number;
  readonly type: string;
  readonly source: string;
}

/** A running import, as passed to its stages. */
export class ImportRun {
  readonly services: Services;
  readonly project: Project;
  readonly namespace: Namespace;
  readonly userId: number;
  readonly type: string;
  readonly source: string;
  readonly signal: AbortSignal;
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #cursors: Record<string, string>;

  constructor(
    services: Services,
    place: ImportContext,
    options: Readonly<Record<string, unknown>>,
    cursors: Record<string, string>,
    signal: AbortSignal,
  ) {
    this.services = services;
    this.project = place.project;
    this.namespace = place.namespace;
    this.userId = place.userId;
    this.type = place.type;
    this.source = place.source;
    this.#options = options;
    this.#cursors = cursors;
    this.signal = signal;
  }

  /** Options of the request, including credentials. */
  options<T>(): T {
    return this.#options as T;
  }

  /** Saved position of a collection. */
  cursor(name: string): string | undefined {
    return this.#cursors[name];
  }

  /** Saves the position of a collection; earlier content is never requested again. */
  async advance(name: string, cursor: string, beside: Readonly<Record<string, string>> = {}): Promise<void> {
    Object.assign(this.#cursors, beside, { [name]: cursor });
    const cursors = JSON.stringify(this.#cursors);
    const running = await this.services.db.write((trx) => this.saveCursors(trx, cursors));
    if (!running) throw new ImportEnded('the import has ended');
    fault('import.advanced');
  }

  /** Returns false if the import has ended. */
  protected saveCursors(trx: Writer, cursors: string): Promise<boolean> {
    return store.updateImport(trx, this.project.id, { cursors, failures: 0, progress_at: Date.now() });
  }

  protected isRunning(trx: Writer): Promise<boolean> {
    return store.isRunning(trx, this.project.id);
  }

  /** Whether an object with this number existed before the import. */
  async isHere(_kind: string, _number: number): Promise<boolean> {
    return false;
  }

  /**
   * Imports one object exactly once. Errors are recorded and the import continues. `write` returns the ID of the
   * created object, by which other objects can refer to it, or null if nothing was created.
   */
  async once(kind: string, sourceId: string | number, write: (trx: Writer) => Promise<number | null>): Promise<void> {
    const { db } = this.services;
    const { id } = this.project;
    const key = keyOf(sourceId);
    try {
      await db.write(async (trx) => {
        if (!(await this.isRunning(trx))) throw new ImportEnded('the import has ended');
        if (!(await store.claimObject(trx, id, kind, key, true))) return;
        const target = await write(trx);
        if (target !== null) await store.saveTarget(trx, id, kind, key, target);
      });
    } catch (error) {
      if (error instanceof ImportEnded || this.signal.aborted) throw error;
      await this.fail(kind, key, error);
    }
    fault('import.written');
  }

  /** Records the failure of an object, which is not retried. */
  async fail(kind: string, sourceId: string | number, error: unknown): Promise<void> {
    const { id: project_id } = this.project;
    const key = keyOf(sourceId);
    const message = error instanceof Error ? error.message : String(error);
    this.services.log.info({ err: error, project: project_id, kind, source: key }, 'a record was not imported');
    await this.services.db.write(async (trx) => {
      if (!(await store.claimObject(trx, project_id, kind, key, false))) return;
      await store.insertFailure(trx, {
        project_id,
        relation_name: kind,
        source: key,
        exception_class: error instanceof Error ? error.name : 'Error',
        exception_message: scrubUrl(message).replaceAll('\0', '\uFFFD').slice(0, 1000),
      });
    });
  }

  /** ID of the object imported for a source object; undefined if it was not imported. */
  async targetOf(kind: string, sourceId: string | number): Promise<number | undefined> {
    const found = await store.targetOf(this.services.db.read, this.project.id, kind, keyOf(sourceId));
    return found?.target_id ?? undefined;
  }

  /** All imported objects of a kind in order of their source IDs, starting at a cursor. */
  async *imported(kind: string, cursorName: string): AsyncGenerator<{ sourceId: string; targetId: number }, void> {
    for (;;) {
      const after = this.cursor(cursorName) ?? '';
      const rows = await store.importedAfter(this.services.db.read, this.project.id, kind, after, 100);
      if (rows.length === 0) return;
      for (const { source_id, target_id } of rows) {
        if (target_id !== null) yield { sourceId: source_id, targetId: target_id };
        await this.advance(cursorName, source_id);
      }
    }
  }
}

/** A stage. Restarted from the beginning after a crash, it continues at its cursors. */
export interface ImportStage {
  readonly name: string;
  run(run: ImportRun): Promise<void>;
}

/** A kind of import source. */
export interface ImportSource {
  readonly type: string;
  readonly stages: readonly ImportStage[];
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'imports.source': ImportSource;
  }
}
