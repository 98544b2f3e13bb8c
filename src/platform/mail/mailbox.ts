import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import type { ImapFlow } from 'imapflow';

/** A mailbox of a mail server, as `imaps://user:password@host/INBOX`. */
export interface MailboxSettings {
  readonly url: string;
  /** File of authorities for its certificate. */
  readonly ca?: string | undefined;
  /** Of a larger message the beginning alone is fetched. */
  readonly maxSize: number;
}

/** A message that nobody has read yet. */
export interface Arrived {
  /** Tells it from every other message of every mailbox. */
  readonly source: string;
  readonly raw: Buffer;
  /** False where it is too large, and this is its beginning. */
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

/** Hands over each message that is not marked as read, one after the other, and marks it once it was taken. */
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
      // Somebody may have deleted it meanwhile.
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
  // Loaded with the first look into a mailbox: most servers have none.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port: Number(port) || (defaultPorts[protocol] ?? 143),
    secure,
    // A password leaves this machine encrypted, or not at all.
    ...(secure || isThisMachine(host) ? {} : { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    tls: { ...(ca === undefined ? {} : { ca: await readFile(ca) }) },
    logger: false,
    disableAutoIdle: true,
    maxLiteralSize: maxSize + beginningBytes,
    ...timeouts,
  });
  // Whoever waits for an answer is told as well.
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
  const wanted = { source: whole ? true : { start: 0, maxLength: beginningBytes } };
  const fetched = await client.fetchOne(uid, wanted, { uid: true });
  if (!fetched) return undefined;
  return fetched.source ? { raw: fetched.source, whole } : undefined;
}
