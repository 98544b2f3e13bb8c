import type { Readable } from 'node:stream';
import type { Services } from '../../../access/services.ts';
import { EgressRefused, type Sender } from '../../../platform/egress/client.ts';

/** The outcome of one request. */
export interface Outcome {
  /** Null if there was no response. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly failure: string | null;
  /** Whether to retry: the receiver was unreachable, timed out or returned a server error. */
  readonly again: boolean;
  readonly durationMs: number;
}

interface Sending {
  readonly url: string;
  readonly method?: 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verifyCertificate: boolean;
  readonly sender: Sender;
  readonly signal?: AbortSignal;
}

const timeoutMs = 10_000;
const maxLoggedBody = 8192;
const maxLoggedHeaders = 50;
const maxLoggedValue = 1024;

/** Sends one request. Does not follow redirects, and reads no more of the response than is logged. */
export async function sendRequest({ egress }: Services, sending: Sending): Promise<Outcome> {
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  try {
    const response = await egress.fetch(sending.url, {
      method: sending.method ?? 'POST',
      headers: sending.headers,
      body: sending.body,
      redirects: 0,
      maxBytes: Number.MAX_SAFE_INTEGER,
      timeoutsMs: { headers: timeoutMs, body: timeoutMs, total: timeoutMs },
      verifyCertificate: sending.verifyCertificate,
      sender: sending.sender,
      ...(sending.signal ? { signal: sending.signal } : {}),
    });
    const body = await beginning(response.body);
    const { status } = response;
    const again = status >= 500 || status === 429;
    return { status, headers: shortened(response.headers), body, failure: null, again, durationMs: took() };
  } catch (error) {
    const refused = error instanceof EgressRefused;
    const failure = textOf(error);
    return { status: null, headers: {}, body: '', failure, again: !refused, durationMs: took() };
  }
}

/** Reads the first kilobytes of a response. */
async function beginning(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('error', () => undefined);
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size >= maxLoggedBody) break;
  }
  stream.destroy();
  // PostgreSQL text cannot contain NUL.
  return Buffer.concat(chunks).subarray(0, maxLoggedBody).toString('utf8').replaceAll('\u0000', '');
}

function shortened(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const named = Object.entries(headers).slice(0, maxLoggedHeaders);
  return Object.fromEntries(
    named.map(([name, value]) => {
      const title = name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
      return [title, (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, maxLoggedValue)];
    }),
  );
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError' || /timeout/i.test(error.name)) return 'Request timed out';
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException).code;
  return cause.message || code || error.name;
}
