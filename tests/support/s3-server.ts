import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { atEnd } from './at-end.ts';

/** Control of the server by tests. */
export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Multipart uploads neither completed nor aborted. */
  readonly unfinished: ReadonlyMap<string, unknown>;
  /** Makes all requests fail with a status; undefined resets it. */
  fail(status: number | undefined): void;
}

export const s3Account = { accessKeyId: 'hearth-test', secretAccessKey: 'a secret of the test' };

/**
 * Implements the documented S3 operations for objects and multipart uploads on one bucket. All requests must be signed.
 */
export async function startS3Server(bucket: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  let failure: number | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (failure !== undefined) return response.writeHead(failure).end();
    if (!isSigned(request, body)) return refuse(response, 403, 'SignatureDoesNotMatch');
    const url = new URL(request.url ?? '/', 'http://s3');
    const [, inBucket, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (inBucket !== bucket) return refuse(response, 404, 'NoSuchBucket');
    return answer(request, response, { key: rest.join('/'), query: url.searchParams, body });
  });

  interface Asked {
    readonly key: string;
    readonly query: URLSearchParams;
    readonly body: Buffer;
  }
  const answer = (request: IncomingMessage, response: ServerResponse, { key, query, body }: Asked): ServerResponse => {
    const upload = uploads.get(query.get('uploadId') ?? '');
    const operation = `${request.method} ${query.has('uploads') ? 'uploads' : upload ? 'upload' : 'object'}`;
    if (operation === 'POST uploads') {
      const id = `upload-${uploads.size}-${Date.now()}`;
      uploads.set(id, { key, parts: new Map() });
      return xml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (upload) {
      if (operation === 'PUT upload') {
        upload.parts.set(Number(query.get('partNumber')), body);
        return response.writeHead(200, { etag: tag(body) }).end();
      }
      uploads.delete(query.get('uploadId') ?? '');
      if (operation === 'DELETE upload') return response.writeHead(204).end();
      const numbers = [...upload.parts.keys()].sort((a, b) => a - b);
      objects.set(key, Buffer.concat(numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0))));
      return xml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>');
    }
    if (key === '') return response.writeHead(200).end();
    if (operation === 'PUT object') {
      objects.set(key, body);
      return response.writeHead(200, { etag: tag(body) }).end();
    }
    if (operation === 'DELETE object') {
      objects.delete(key);
      return response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (!found) return refuse(response, 404, request.method === 'HEAD' ? '' : 'NoSuchKey');
    return send(request, response, found);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    objects,
    unfinished: uploads,
    fail(status) {
      failure = status;
    },
  };
}

function send(request: IncomingMessage, response: ServerResponse, content: Buffer): ServerResponse {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(range?.[2] ? Number(range[2]) : content.length - 1, content.length - 1);
  if (range && start >= content.length) return refuse(response, 416, 'InvalidRange');
  const part = content.subarray(start, end + 1);
  const place = range ? { 'content-range': `bytes ${start}-${end}/${content.length}` } : {};
  response.writeHead(range ? 206 : 200, { 'content-length': part.length, etag: tag(content), ...place });
  return response.end(request.method === 'HEAD' ? undefined : part);
}

function xml(response: ServerResponse, text: string, status = 200): ServerResponse {
  return response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
}

function refuse(response: ServerResponse, status: number, code: string): ServerResponse {
  if (code === '') return response.writeHead(status).end();
  return xml(response, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);
}

const tag = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`;
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** Verifies a version 4 signature with an independent implementation. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, account, day = '', region = '', names = '', signature = ''] =
    pattern.exec(`${request.headers.authorization}`) ?? [];
  if (account !== s3Account.accessKeyId) return false;
  const digest = `${request.headers['x-amz-content-sha256']}`;
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body)) return false;
  const url = new URL(request.url ?? '/', 'http://s3');
  const query = [...url.searchParams].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const headers = names.split(';').map((name) => `${name}:${`${request.headers[name]}`.trim()}\n`);
  const canonical = [request.method, url.pathname, query.sort().join('&'), headers.join(''), names, digest].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${s3Account.secretAccessKey}`, day));
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex'));
}
