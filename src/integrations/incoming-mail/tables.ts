import type { Generated, Selectable } from 'kysely';

export interface ReceivedMailTable {
  id: Generated<number>;
  /** Where it was taken from: the number that a message has in its mailbox, or one of our own. */
  source: string;
  /** What tells the message from others wherever it comes from; noted with what it brought about. */
  identity: string | null;
  /** Where it lies until it was seen to. */
  file: string;
  /** Digest of the address of whoever was answered. */
  sender: string | null;
  /** Whether it lies there whole, and a job sees to it. */
  queued: Generated<number>;
  /** Whether a refusal was sent. */
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
