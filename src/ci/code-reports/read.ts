import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../access/services.ts';
import { perServer } from '../../platform/per-server.ts';
import type { JobArtifactRow } from '../artifacts/public.ts';
import { CoberturaReader, type Coverage, JacocoReader } from './coverage.ts';
import { type Problem, problemsIn } from './problems.ts';

/**
 * Maximum decompressed size of one report, because a small file may expand to any length. Code quality reports are
 * parsed in memory.
 */
const maxCoverage = 128 * 1024 * 1024;
const maxProblems = 16 * 1024 * 1024;

/** A report that cannot be read; the message is shown to users. */
class Unreadable extends Error {}

async function* decode(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  const text = new TextDecoder();
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Unreadable('the report is too large');
    yield text.decode(chunk, { stream: true });
  }
}

/** Content of a report, and the error if it could not be read to the end. */
export interface ReadResult<T> {
  readonly found: T;
  readonly error: string | null;
}

async function attempt<T>(read: () => Promise<void>, found: T): Promise<ReadResult<T>> {
  try {
    await read();
    return { found, error: null };
  } catch (error) {
    // Reports come from users: parse errors are part of the result.
    return { found, error: `${error instanceof Error ? error.message : error}`.slice(0, 500) };
  }
}

async function readCoverage(
  { storage }: Services,
  { storage_key, file_type }: JobArtifactRow,
  requested: ReadonlySet<string>,
  project: string,
): Promise<ReadResult<Coverage>> {
  const reader = file_type === 'jacoco' ? new JacocoReader(requested) : new CoberturaReader(requested, project);
  const read = async () => {
    const { stream } = await storage.get(storage_key);
    const gunzip = createGunzip();
    stream.on('error', (error) => gunzip.destroy(error));
    for await (const piece of decode(stream.pipe(gunzip), maxCoverage)) reader.write(piece);
    reader.end();
  };
  return attempt(read, reader.files);
}

async function readProblems({ storage }: Services, { storage_key }: JobArtifactRow): Promise<ReadResult<Problem[]>> {
  const problems: Problem[] = [];
  const read = async () => {
    const { stream } = await storage.get(storage_key);
    let text = '';
    for await (const piece of decode(stream, maxProblems)) text += piece;
    for (const problem of problemsIn(JSON.parse(text))) problems.push(problem);
  };
  return attempt(read, problems);
}

const sizeOfCoverage = ({ found }: ReadResult<Coverage>) =>
  100 + [...found].reduce((sum, [path, lines]) => sum + path.length + lines.size, 0);
const sizeOfProblems = ({ found }: ReadResult<readonly Problem[]>) => 100 + found.length * 50;

/** Results by storage key and requested paths. Files are written once, so entries never become stale. */
const cachesOf = perServer((_: Services['storage']) => ({
  coverage: new LRUCache<string, ReadResult<Coverage>>({ maxSize: 400_000, sizeCalculation: sizeOfCoverage }),
  problems: new LRUCache<string, ReadResult<readonly Problem[]>>({ maxSize: 400_000, sizeCalculation: sizeOfProblems }),
}));

async function cached<T>(cache: LRUCache<string, ReadResult<T>>, key: string, read: () => Promise<ReadResult<T>>) {
  const hit = cache.get(key);
  if (hit) return hit;
  const found = await read();
  // Errors are not cached: a missing file may become available again.
  if (found.error === null) cache.set(key, found);
  return found;
}

/** Coverage of the requested files of a project according to one report. */
export function coverageOf(
  services: Services,
  report: JobArtifactRow,
  requested: ReadonlySet<string>,
  project: string,
): Promise<ReadResult<Coverage>> {
  const key = `${report.storage_key} ${hash('sha256', JSON.stringify([project, ...requested]))}`;
  return cached(cachesOf(services.storage).coverage, key, () => readCoverage(services, report, requested, project));
}

export function problemsOf(services: Services, report: JobArtifactRow): Promise<ReadResult<readonly Problem[]>> {
  const cache = cachesOf(services.storage).problems;
  return cached<readonly Problem[]>(cache, report.storage_key, () => readProblems(services, report));
}
