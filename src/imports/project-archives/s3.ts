import { createHmac, hash } from 'node:crypto';
import { trimTrailing } from '../../platform/trim.ts';

/** A file in an S3 bucket with credentials. */
export interface BucketFile {
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A signed request. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const emptyDigest = hash('sha256', '', 'hex');
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** URL of a file: on the AWS endpoint of its region, or on an S3-compatible server. */
function addressOf({ region, bucket, key }: BucketFile, server: string): URL {
  const path = key.split('/').map(encoded).join('/');
  if (server !== '') return new URL(`${trimTrailing(server, '/')}/${bucket}/${path}`);
  // The wildcard certificate of the endpoint does not cover bucket names with dots.
  return bucket.includes('.')
    ? new URL(`https://s3.${region}.amazonaws.com/${bucket}/${path}`)
    : new URL(`https://${bucket}.s3.${region}.amazonaws.com/${path}`);
}

/** Signs a GET request with AWS Signature Version 4, including the headers in `more`. */
export function signedGet(
  file: BucketFile,
  server: string,
  now: Date,
  more: Readonly<Record<string, string>> = {},
  address = addressOf(file, server),
): SignedRequest {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = { ...more, 'x-amz-content-sha256': emptyDigest, 'x-amz-date': time };
  const signed = Object.entries({ ...headers, host: address.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonicalRequest = ['GET', address.pathname, '', lines, names, emptyDigest].join('\n');
  const scope = `${day}/${file.region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonicalRequest, 'hex')].join('\n');
  const key = [file.region, 's3', 'aws4_request'].reduce<Buffer>(mac, mac(`AWS4${file.secretAccessKey}`, day));
  const signature = mac(key, text).toString('hex');
  const credential = `Credential=${file.accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names},Signature=${signature}`;
  return { url: address.href, headers: { ...headers, authorization } };
}
