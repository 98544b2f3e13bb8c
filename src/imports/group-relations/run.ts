import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';

/** What is to be written of a line, known before the transaction that it is written in. */
export type Written = (trx: Writer) => Promise<void>;

/** A group that is being filled with what files of another one say, wherever these come from. */
export interface GroupRun {
  readonly services: Services;
  readonly signal: AbortSignal;
  /** Who asked for it. */
  readonly userId: number;
  /** What kind of import it is, and the server or the file that the numbers of people are of. */
  readonly type: string;
  readonly host: string;
  /** The one who asked for it, as what they may do here is asked for. */
  actor(): Promise<SignedInActor>;
  /** It is over where somebody removed the group meanwhile. */
  group(): Promise<Namespace>;
  /** The file of a relation, unpacked; undefined where there is none. */
  file(relation: string): Promise<string | undefined>;
  /** The folder of its files, each below its secret; undefined where there is none. */
  uploads(): Promise<string | undefined>;
  /** The secret that a file has here, the same at each attempt: two groups cannot have the same. */
  secretOf(secret: string): string;
  /** How many lines of the present relation are done. */
  reached(): number;
  /** Writes what a line says, together with the place that was reached. */
  keep(relation: string, line: number, write: Written): Promise<void>;
  /** The same for a line of which nothing comes. */
  miss(relation: string, line: number, error: unknown): Promise<void>;
}
