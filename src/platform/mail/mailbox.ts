import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import type { ImapFlow } from 'imapflow';

/** A mailbox of a mail server, as `imaps://user:password@host/INBOX`. */
export interface MailboxSettings {
  readonly url: string;
  /** A file of certificate authorities for its certificate. */
  readonly ca?: string | undefined;
  /** Only the beginning of a larger message is fetched. */
  readonly maxSize: number;
}

/** An unread message. */
export interface Arrived {
  /** Identifies the message among those of all mailboxes. */
  readonly source: string;
  readonly raw: Buffer;
  /** False if the message is too large, and `raw` is only its beginning. */
  readonly whole: boolean;
}

const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 };
const beginningBytes = 64 * 1024;
const defaultPorts: Readonly<Record<string, number>> = { 'imaps:': 993, 'imap:': 143 };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isThisMachine(host: string): boolean {
  return host === 'localhost' || loopback.check(host) || loopback.check(host, 'ipv6');
}

/** Passes each unread message to `take`, one after another, and marks it as read afterwards. */
export async function readMailbox(
  settings: MailboxSettings,
  signal: AbortSignal,
  take: (message: Arrived) => Promise<void>,
): Promise<void> {
  const { client, account, path } = await connect(settings);
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { uidValidity } = await client.mailboxOpen(path);
    const found = (await client.search({ seen: false, deleted: false }, { uid: true })) || [];
    for (const uid of found) {
      signal.throwIfAborted();
      const message = await fetchMessage(client, `${uid}`, settings.maxSize);
      // It may have been deleted in the meantime.
      if (!message) continue;
      await take({ ...message, source: `${account} ${path} ${uidValidity} ${uid}` });
      await client.messageFlagsAdd(`${uid}`, ['\\Seen'], { uid: true });
    }
    await client.logout();
  } finally {
    signal.removeEventListener('abort', stop);
    client.close();
  }
}

async function connect({ url, ca, maxSize }: MailboxSettings) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'imaps:';
  // Loaded on first use: most servers have no mailbox.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port: Number(port) || (defaultPorts[protocol] ?? 143),
    secure,
    // Never send a password to another machine unencrypted.
    ...(secure || isThisMachine(host) ? {} : { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    tls: { ...(ca === undefined ? {} : { ca: await readFile(ca) }) },
    logger: false,
    disableAutoIdle: true,
    maxLiteralSize: maxSize + beginningBytes,
    ...timeouts,
  });
  // Errors are also reported to pending commands.
  client.on('error', () => undefined);
  await client.connect();
  const path = decodeURIComponent(pathname.slice(1)) || 'INBOX';
  return { client, account: `${decodeURIComponent(username)} ${host}`, path };
}

async function fetchMessage(
  client: ImapFlow,
  uid: string,
  maxSize: number,
): Promise<Omit<Arrived, 'source'> | undefined> {
  const measured = await client.fetchOne(uid, { size: true }, { uid: true });
  if (!measured) return undefined;
  const whole = (measured.size ?? 0) <= maxSize;
  const query = { source: whole ? true : { start: 0, maxLength: beginningBytes } };
  const fetched = await client.fetchOne(uid, query, { uid: true });
  if (!fetched) return undefined;
  return fetched.source ? { raw: fetched.source, whole } : undefined;
}
