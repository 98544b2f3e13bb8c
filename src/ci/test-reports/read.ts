import { createGunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../access/services.ts';
import { perServer } from '../../platform/per-server.ts';
import type { JobArtifactRow } from '../artifacts/public.ts';
import { type Counts, countsOf, isFailure } from './counts.ts';
import { JunitReader, type TestCase } from './junit.ts';

/** Unpacked, of one report: a small file may unpack to any length. */
const maxBytes = 64 * 1024 * 1024;

export interface Report {
  readonly cases: readonly TestCase[];
  /** Why what was sent could not be read to its end. */
  readonly error: string | null;
}

/** Reads a report that a job has sent. */
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
    // What people sent cannot be read: that is what their report says.
    const said = `JUnit XML parsing failed: ${error instanceof Error ? error.message : error}`.slice(0, 500);
    return { cases: reader.cases, error: said };
  }
}

/** A test that failed, by its place in the report; what it said is read there. */
export interface Failure {
  readonly position: number;
  readonly status: TestCase['status'];
  readonly name: string;
  readonly classname: string;
}

/** What of a report is asked for again and again. */
export interface Digest extends Pick<Report, 'error'> {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
}

const maxFailures = 100;
const longestName = 255;

function digestOf({ cases, error }: Report): Digest {
  const failures = cases.flatMap(({ status, name, classname }, at) =>
    isFailure(status)
      ? [{ position: at + 1, status, name: name.slice(0, longestName), classname: classname.slice(0, longestName) }]
      : [],
  );
  return { counts: countsOf(cases), error, failures: failures.slice(0, maxFailures) };
}

const sizeOf = ({ failures }: Digest) => 200 + failures.reduce((sum, one) => sum + 60 + one.name.length, 0);

/** By the key of a file, which is written once: what it says never changes. */
const digests = perServer(
  (_: Services['storage']) => new LRUCache<string, Digest>({ maxSize: 4_000_000, sizeCalculation: sizeOf }),
);

/** The figures of a report, which open merge requests ask for every few seconds. */
export async function readDigest(services: Services, report: JobArtifactRow): Promise<Digest> {
  const known = digests(services.storage).get(report.storage_key);
  if (known) return known;
  const digest = digestOf(await readReport(services, report));
  // A file that could not be read may be there again.
  if (digest.error === null) digests(services.storage).set(report.storage_key, digest);
  return digest;
}
