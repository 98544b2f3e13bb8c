import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { handedOver, storeMessage } from '../../../src/integrations/incoming-mail/public.ts';
import type { TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

export const address = 'incoming+%{key}@mail.example.com';

/** An e-mail sent by the server. */
export interface Sent {
  readonly subject: string;
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly raw: string;
}

/** Returns the e-mails sent to an address, in no particular order. */
export async function emailsTo(server: TestServer, email: string): Promise<Sent[]> {
  const folder = join(server.running.services.config.data, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f].*\.eml$/.test(name));
  const messages = await Promise.all(
    names.map(async (name) => {
      const raw = await readFile(join(folder, name), 'utf8');
      const { to, subject = '', text = '', replyTo } = await PostalMime.parse(raw);
      return { raw, to: to?.[0]?.address, subject, text, replyTo: replyTo?.[0]?.address };
    }),
  );
  return messages.filter(({ to }) => to === email);
}

/** Waits for an e-mail whose subject or text contains the given words. */
export async function emailWith(server: TestServer, email: string, words: string): Promise<Sent> {
  let found: Sent | undefined;
  await until(async () => {
    found = (await emailsTo(server, email)).find(({ subject, text }) => `${subject}\n${text}`.includes(words));
    return found !== undefined;
  });
  if (!found) throw new Error(`no email with ${words}`);
  return found;
}

let count = 0;

/** Builds a message as a mail program sends it. */
export function message(to: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  count += 1;
  const all = {
    From: 'Somebody <somebody@elsewhere.example>',
    To: to,
    Subject: 'Re: what was asked',
    'Message-ID': `<message-${count}@elsewhere.example>`,
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  };
  const lines = Object.entries(all).filter(([, value]) => value !== '');
  return `${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body.replaceAll('\n', '\r\n')}`;
}

/** Delivers a message to the server and waits until it is processed. */
export async function post(server: TestServer, raw: string | Uint8Array, source = handedOver()): Promise<void> {
  const { services } = server.running;
  await storeMessage(services, { source, raw: Buffer.from(raw), oversized: false });
  await settled(server);
}

/** Waits until no messages or e-mails are pending. */
export async function settled(server: TestServer): Promise<void> {
  const { db } = server.running.services;
  await until(async () => {
    const waiting = await db.read
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', ['incoming-mail.process', 'mail.send', 'mail.notify'])
      .where('state', 'in', ['pending', 'running'])
      .execute();
    return waiting.length === 0;
  });
}
