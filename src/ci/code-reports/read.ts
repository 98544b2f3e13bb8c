import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../access/services.ts';
import { perServer } from '../../platform/per-server.ts';
import type { JobArtifactRow } from '../artifacts/public.ts';
import { CoberturaReader, type Coverage, JacocoReader } from './coverage.ts';
import { type Problem, problemsIn } from './problems.ts';

/** Unpacked, of one report: a small file may unpack to any length. Reports of code quality are read as a whole. */
const maxCoverage = 128 * 1024 * 1024;
const maxProblems = 16 * 1024 * 1024;

/** What could not be read of a report, for people. */
class Unreadable extends Error {}

async function* piecesOf(stream: Readable, most: number): AsyncGenerator<string> {
  const text = new TextDecoder();
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new Unreadable('the report is too large');
    yield text.decode(chunk, { stream: true });
  }
}

/** What was found in reports, and why one of them could not be read to its end. */
export interface Found<T> {
  readonly found: T;
  readonly error: string | null;
}

async function attempt<T>(read: () => Promise<void>, found: T): Promise<Found<T>> {
  try {
    await read();
    return { found, error: null };
  } catch (error) {
    // What people sent cannot be read: that is what is said of it.
    return { found, error: `${error instanceof Error ? error.message : error}`.slice(0, 500) };
  }
}

async function readCoverage(
  { storage }: Services,
  { storage_key, file_type }: JobArtifactRow,
  asked: ReadonlySet<string>,
  project: string,
): Promise<Found<Coverage>> {
  const reader = file_type === 'jacoco' ? new JacocoReader(asked) : new CoberturaReader(asked, project);
  const read = async () => {
    const { stream } = await storage.get(storage_key);
    const gunzip = createGunzip();
    stream.on('error', (error) => gunzip.destroy(error));
    for await (const piece of piecesOf(stream.pipe(gunzip), maxCoverage)) reader.write(piece);
    reader.end();
  };
  return attempt(read, reader.files);
}

async function readProblems({ storage }: Services, { storage_key }: JobArtifactRow): Promise<Found<Problem[]>> {
  const problems: Problem[] = [];
  const read = async () => {
    const { stream } = await storage.get(storage_key);
    let text = '';
    for await (const piece of piecesOf(stream, maxProblems)) text += piece;
    for (const problem of problemsIn(JSON.parse(text))) problems.push(problem);
  };
  return attempt(read, problems);
}

const sizeOfCoverage = ({ found }: Found<Coverage>) =>
  100 + [...found].reduce((sum, [path, lines]) => sum + path.length + lines.size, 0);
const sizeOfProblems = ({ found }: Found<readonly Problem[]>) => 100 + found.length * 50;

/** By the key of a file, which is written once, and what was asked of it: what it says never changes. */
const kept = perServer((_: Services['storage']) => ({
  coverage: new LRUCache<string, Found<Coverage>>({ maxSize: 400_000, sizeCalculation: sizeOfCoverage }),
  problems: new LRUCache<string, Found<readonly Problem[]>>({ maxSize: 400_000, sizeCalculation: sizeOfProblems }),
}));

async function once<T>(cache: LRUCache<string, Found<T>>, key: string, read: () => Promise<Found<T>>) {
  const known = cache.get(key);
  if (known) return known;
  const found = await read();
  // A file that could not be read may be there again.
  if (found.error === null) cache.set(key, found);
  return found;
}

/** How far a report says that some files of a project are reached by its tests. */
export function coverageOf(
  services: Services,
  report: JobArtifactRow,
  asked: ReadonlySet<string>,
  project: string,
): Promise<Found<Coverage>> {
  const key = `${report.storage_key} ${hash('sha256', JSON.stringify([project, ...asked]))}`;
  return once(kept(services.storage).coverage, key, () => readCoverage(services, report, asked, project));
}

export function problemsOf(services: Services, report: JobArtifactRow): Promise<Found<readonly Problem[]>> {
  const cache = kept(services.storage).problems;
  return once<readonly Problem[]>(cache, report.storage_key, () => readProblems(services, report));
}
