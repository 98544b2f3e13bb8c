import type { Services } from '../../../access/services.ts';
import { readMailbox } from '../../../platform/mail/mailbox.ts';
import type { Job } from '../../../platform/queue/queue.ts';
import { storeMessage } from './receive.ts';

/** Fetches unread messages from the configured IMAP mailbox. As a job, it runs on one node at a time. */
export async function pollMailbox(services: Services, url: string, { signal }: Job<null>): Promise<void> {
  const { imapCa: ca, maxIncomingMail: maxSize } = services.config;
  await readMailbox({ url, ca, maxSize }, signal, ({ source, raw, whole }) =>
    storeMessage(services, { source, raw, oversized: !whole }),
  );
}
