import { createGunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../access/services.ts';
import { perServer } from '../../platform/per-server.ts';
import type { JobArtifactRow } from '../artifacts/public.ts';
import { type Counts, countsOf, isFailure } from './counts.ts';
import { JunitReader, type TestCase } from './junit.ts';

/** Maximum uncompressed size of a report: a small archive can decompress to any size. */
const maxBytes = 64 * 1024 * 1024;

export interface Report {
  readonly cases: readonly TestCase[];
  /** Why the report could not be read completely. */
  readonly error: string | null;
}

/** Reads a report uploaded by a job. */
export async function readReport({ storage }: Services, { storage_key }: JobArtifactRow): Promise<Report> {
  const reader = new JunitReader();
  try {
    const { stream } = await storage.get(storage_key);
    const text = new TextDecoder();
    let size = 0;
    for await (const chunk of stream.pipe(createGunzip()) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new Error('the report is too large');
      reader.write(text.decode(chunk, { stream: true }));
    }
    reader.end();
    return { cases: reader.cases, error: null };
  } catch (error) {
    // Malformed reports are expected: the parse error becomes part of the report.
    const message = `JUnit XML parsing failed: ${error instanceof Error ? error.message : error}`.slice(0, 500);
    return { cases: reader.cases, error: message };
  }
}

/** A failed test and its position in the report, where its output is read from. */
export interface Failure {
  readonly position: number;
  readonly status: TestCase['status'];
  readonly name: string;
  readonly classname: string;
}

/** The frequently requested parts of a report. */
export interface Digest extends Pick<Report, 'error'> {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
}

const maxFailures = 100;
const maxNameLength = 255;

function digestOf({ cases, error }: Report): Digest {
  const failures = cases.flatMap(({ status, name, classname }, at) =>
    isFailure(status)
      ? [{ position: at + 1, status, name: name.slice(0, maxNameLength), classname: classname.slice(0, maxNameLength) }]
      : [],
  );
  return { counts: countsOf(cases), error, failures: failures.slice(0, maxFailures) };
}

const sizeOf = ({ failures }: Digest) => 200 + failures.reduce((sum, one) => sum + 60 + one.name.length, 0);

/** Cached by storage key. A stored file never changes, so neither does its digest. */
const digests = perServer(
  (_: Services['storage']) => new LRUCache<string, Digest>({ maxSize: 4_000_000, sizeCalculation: sizeOf }),
);

/** Returns the counts and failures of a report. Open merge requests poll these every few seconds. */
export async function readDigest(services: Services, report: JobArtifactRow): Promise<Digest> {
  const cached = digests(services.storage).get(report.storage_key);
  if (cached) return cached;
  const digest = digestOf(await readReport(services, report));
  // Errors are not cached: an unreadable file may become available again.
  if (digest.error === null) digests(services.storage).set(report.storage_key, digest);
  return digest;
}
