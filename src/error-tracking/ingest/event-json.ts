import { inflateSync } from 'node:zlib';
import { MalformedBody, OversizedBody } from './refusal.ts';

const maxDepth = 200;

/** Parses an event. Invalid UTF-8 is replaced, and numbers that JSON lacks become null. */
export function readEventJson(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString('utf8');
  // Checked before parsing: parsing hundreds of thousands of nested levels would block the server for an
  // unauthenticated client.
  if (isDeeper(text, maxDepth)) throw new MalformedBody('the event is nested too deeply');
  const value = parse(text) ?? parse(withoutNotANumber(text));
  if (value === undefined) throw new MalformedBody('the event is not JSON');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedBody('the event is not an object');
  }
  return value as Record<string, unknown>;
}

/** Decodes the body of a store request, which legacy clients send as base64, possibly deflated. */
export function unpackStoreBody(body: Buffer, maxBytes: number): Buffer {
  if (body.length === 0) throw new MalformedBody('empty request body');
  const text = body.subarray(0, 16).toString('latin1').trimStart();
  if (!/^[A-Za-z0-9+/]{4}/.test(text) || /^(?:true|null|false)/.test(text)) return body;
  const packed = Buffer.from(body.toString('latin1'), 'base64');
  if (packed[0] === 0x7b) return packed;
  try {
    return inflateSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new OversizedBody();
    throw new MalformedBody('the event is not JSON');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const notNumbers = ['NaN', '-Infinity', 'Infinity'];

/** Replaces `NaN` and `Infinity`, as sent by old clients, by null outside of strings. Runs in linear time. */
function withoutNotANumber(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x4e || code === 0x49 || code === 0x2d) {
      const word = notNumbers.find((one) => text.startsWith(one, at));
      if (!word) continue;
      parts.push(text.slice(from, at), 'null');
      at += word.length - 1;
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

/** Whether brackets outside of strings are nested deeper than the limit. */
function isDeeper(text: string, limit: number): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      open += 1;
      if (open > limit) return true;
    } else if (code === 0x5d || code === 0x7d) open -= 1;
  }
  return false;
}
