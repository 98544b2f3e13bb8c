import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';

/** Writes the data of a record; prepared before the transaction starts. */
export type RecordWriter = (trx: Writer) => Promise<void>;

/** The import of a group's relations, whatever their source. */
export interface GroupRun {
  readonly services: Services;
  readonly signal: AbortSignal;
  /** The requesting user. */
  readonly userId: number;
  /** Import type, and the server or archive that user IDs refer to. */
  readonly type: string;
  readonly host: string;
  /** The requesting user, for permission checks. */
  actor(): Promise<SignedInActor>;
  /** The group. Throws if it was deleted in the meantime. */
  group(): Promise<Namespace>;
  /** Path of the unpacked file of a relation; undefined if it does not exist. */
  file(relation: string): Promise<string | undefined>;
  /** Folder of the uploaded files, one subfolder per secret; undefined if it does not exist. */
  uploads(): Promise<string | undefined>;
  /** New secret of an uploaded file, the same for each attempt. Secrets must be unique across groups. */
  secretOf(secret: string): string;
  /** Number of processed lines of the current relation. */
  reached(): number;
  /** Writes a record together with the progress. */
  keep(relation: string, line: number, write: RecordWriter): Promise<void>;
  /** The same for a record that could not be imported. */
  miss(relation: string, line: number, error: unknown): Promise<void>;
}
