import type { Generated, Selectable } from 'kysely';

export interface ReceivedMailTable {
  id: Generated<number>;
  /** The message's UID in its mailbox, or a generated ID. */
  source: string;
  /** Identifies the message across sources, to detect duplicates; set together with the result of processing it. */
  identity: string | null;
  /** Storage key of the message until it is processed. */
  file: string;
  /** Digest of the address that a rejection was sent to. */
  sender: string | null;
  /** Whether the file is complete and the job is enqueued. */
  queued: Generated<number>;
  /** Whether a rejection was sent. */
  answered: Generated<number>;
  received_at: number;
}

export interface MailAddressGenerationsTable {
  user_id: number;
  generation: number;
}

export type ReceivedMail = Selectable<ReceivedMailTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    received_mail: ReceivedMailTable;
    mail_address_generations: MailAddressGenerationsTable;
  }
}
