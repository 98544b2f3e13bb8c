import type { Readable } from 'node:stream';
import { BadRequest } from '../../platform/http/errors.ts';
import type { SentForm } from './visit.ts';

/** Whether a request body was produced by the parsers below. */
export function isForm(body: unknown): body is SentForm {
  return typeof body === 'object' && body !== null && 'fields' in body && body.fields instanceof URLSearchParams;
}

export const readForm = (text: string): SentForm => ({ fields: new URLSearchParams(text) });

/** Parses a multipart form; only the first file is kept. */
export async function readUpload(contentType: string, body: Buffer): Promise<SentForm> {
  const parts = await formData(contentType, body);
  const fields = new URLSearchParams();
  let file: File | undefined;
  for (const [name, value] of parts) {
    if (typeof value === 'string') fields.append(name, value);
    else file ??= value;
  }
  if (!file || file.name === '') return { fields };
  return { fields, file: { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) } };
}

async function formData(contentType: string, body: Buffer): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new BadRequest('The form cannot be read');
  }
}

/** Our forms start with the CSRF token field, which is short. */
const longestHead = 8_192;

/** Parses the first field of a multipart form of any size and returns the stream with it put back. */
export async function readStreamed(contentType: string, payload: Readable): Promise<SentForm> {
  const [, quoted, plain = quoted] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const fields = new URLSearchParams();
  let head = Buffer.alloc(0);
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    head = Buffer.concat([head, chunk]);
    const [first, rest] = head.toString('latin1', 0, longestHead).split(`\r\n--${plain}`, 2);
    if (rest === undefined && head.length < longestHead) continue;
    const [, name, value] = /name="([a-z_]+)"\r\n\r\n([^\r\n]*)$/.exec(first ?? '') ?? [];
    if (rest !== undefined && name !== undefined) fields.append(name, value ?? '');
    payload.unshift(head);
    return { fields, stream: payload };
  }
  throw new BadRequest('The form cannot be read');
}
