import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { checkKey } from './key.ts';
import { createMeasure } from './measure.ts';
import {
  type ByteRange,
  FileMismatch,
  FileMissing,
  FileTooLarge,
  RangeUnsatisfiable,
  type Storage,
  StorageUnavailable,
} from './storage.ts';

/** A bucket of Amazon S3 or a compatible server. */
export interface S3Options {
  readonly bucket: string;
  /** The URL of an S3-compatible server; Amazon S3 by default. */
  readonly endpoint?: string;
  readonly region: string;
  /** Taken from the environment or the machine's role by default. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** A prefix of all keys, for a shared bucket. */
  readonly prefix?: string;
}

/** Part size of multipart uploads. Each upload buffers a few parts; S3 allows 10,000 of them, so files up to 80 GB. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 2;

/**
 * Stores files in a bucket. Durability is up to the provider; a file appears completely or not at all, as S3
 * guarantees.
 */
export async function openS3Storage(options: S3Options): Promise<Storage> {
  const { bucket: Bucket, prefix = '' } = options;
  const client = createClient(options);
  const at = (key: string) => {
    checkKey(key);
    return { Bucket, Key: prefix + key };
  };
  await client.send(new HeadBucketCommand({ Bucket })).catch(unavailable);

  const stat = async (key: string) => {
    try {
      const { ContentLength } = await client.send(new HeadObjectCommand(at(key)));
      return { size: ContentLength ?? 0 };
    } catch (error) {
      return isMissing(error) ? undefined : unavailable(error);
    }
  };

  return {
    stat,

    async put(key, body, expected = {}) {
      const measure = createMeasure(expected);
      // If the body does not match, the stream throws before the last part is sent, and nothing is stored.
      const Body = Readable.from(measure.through(body), { objectMode: false });
      const upload = new Upload({ client, params: { ...at(key), Body }, partSize: partBytes, queueSize: partsAtOnce });
      try {
        await upload.done();
      } catch (error) {
        throw isMismatch(error) || Body.errored === error ? error : unavailable(error);
      } finally {
        Body.destroy();
      }
      return measure.result();
    },

    async get(key, range) {
      if (range && !isValidRange(range)) throw new RangeUnsatisfiable((await stat(key))?.size ?? 0);
      const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
      let found: GetObjectCommandOutput;
      try {
        found = await client.send(new GetObjectCommand({ ...at(key), Range }));
      } catch (error) {
        if (isMissing(error)) throw new FileMissing(`no file ${key}`);
        if (statusOf(error) === 416) throw new RangeUnsatisfiable((await stat(key))?.size ?? 0);
        throw unavailable(error);
      }
      const { Body, ContentLength = 0, ContentRange } = found;
      if (!(Body instanceof Readable)) throw new StorageUnavailable('a response without a body');
      const size = /\/(\d+)$/.exec(ContentRange ?? '')?.[1];
      return { stream: Body, size: size === undefined ? ContentLength : Number(size) };
    },

    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key))).catch(unavailable);
    },
  };
}

function createClient({ endpoint, region, credentials }: S3Options): S3Client {
  return new S3Client({
    region,
    // S3-compatible servers often lack a host name per bucket and the newer checksums.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, requestTimeout: 60_000 },
  });
}

function isValidRange({ start, end = start }: ByteRange): boolean {
  return start >= 0 && end >= start;
}

function isMismatch(error: unknown): boolean {
  return error instanceof FileMismatch || error instanceof FileTooLarge;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Whether the object does not exist. A missing bucket is a different error. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && !(error instanceof Error && error.name === 'NoSuchBucket');
}

function unavailable(error: unknown): never {
  throw new StorageUnavailable(error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
    cause: error,
  });
}
