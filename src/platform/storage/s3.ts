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

/** A bucket of Amazon's S3, or of anything that speaks its protocol. */
export interface S3Options {
  readonly bucket: string;
  /** Of another maker's server; Amazon's own without it. */
  readonly endpoint?: string;
  readonly region: string;
  /** Without it, what the environment or the machine's role gives. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** What every key begins with, for a bucket that is shared. */
  readonly prefix?: string;
}

/** Each upload holds a few of these: 10,000 of them are the most that S3 takes, so 80 GB a file. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 2;

/** Files in a bucket. Whoever runs it makes it last; a file appears whole or not at all, as S3 promises. */
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
      // A body that turns out other than expected throws before its last part is sent: nothing is stored then.
      const Body = Readable.from(measure.through(body), { objectMode: false });
      const upload = new Upload({ client, params: { ...at(key), Body }, partSize: partBytes, queueSize: partsAtOnce });
      try {
        await upload.done();
      } catch (error) {
        throw isRefusal(error) || Body.errored === error ? error : unavailable(error);
      } finally {
        Body.destroy();
      }
      return measure.result();
    },

    async get(key, range) {
      if (range && !isSensible(range)) throw new RangeUnsatisfiable((await stat(key))?.size ?? 0);
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
      if (!(Body instanceof Readable)) throw new StorageUnavailable('an answer without a body');
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
    // Other makers' servers have a name for the server, not for each bucket, and often know no newer checksums.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, requestTimeout: 60_000 },
  });
}

function isSensible({ start, end = start }: ByteRange): boolean {
  return start >= 0 && end >= start;
}

function isRefusal(error: unknown): boolean {
  return error instanceof FileMismatch || error instanceof FileTooLarge;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** A bucket that is not there is not a file that is not there. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && !(error instanceof Error && error.name === 'NoSuchBucket');
}

function unavailable(error: unknown): never {
  throw new StorageUnavailable(error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
    cause: error,
  });
}
