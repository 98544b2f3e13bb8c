import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import Type from 'typebox';
import { type JsonShape, jsonShape } from '../../platform/json-shape.ts';
import type { HostClient } from '../host-client/public.ts';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';

/** A record of another host that is not what it should be. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** The records of a collection, and as what they are counted. */
export interface SourceList<T> {
  readonly kind: string;
  readonly record: JsonShape<T>;
  /** What their numbers are numbers in, where these are not unique by themselves. */
  readonly within?: string;
}

/** No host sends so many records at once: fewer are asked for. */
const maxRecords = 1000;

/** A page of records, each of which is looked at by itself. */
export const recordList = Type.Array(Type.Unknown(), { maxItems: maxRecords });

/**
 * Asks for something that the import cannot go on without. A host in trouble may say anything for a moment, so it is
 * asked twice; one that still says something else will not be understood later either.
 */
export async function askFor<T>(
  run: Pick<ImportRun, 'signal'>,
  client: HostClient,
  place: string,
  shape: JsonShape<T>,
): Promise<{ readonly body: T; readonly headers: IncomingHttpHeaders }> {
  for (let asked = 1; ; asked++) {
    const { body, headers } = await client.get<unknown>(place, { signal: run.signal });
    if (shape.fits(body)) return { body, headers };
    if (asked === 2) {
      throw new ImportFailed(`The answer for ${pathOf(client, place)} cannot be read: it ${shape.problemOf(body)}`);
    }
  }
}

const recordListShape = jsonShape(recordList);

/** A page that is nothing but a list. */
export async function askForList(run: Pick<ImportRun, 'signal'>, client: HostClient, place: string) {
  return askFor(run, client, place, recordListShape);
}

/** The records of a page that are what they should be; the others are kept as failures of their kind. */
export async function readableRecords<T>(
  run: ImportRun,
  client: HostClient,
  { kind, record, within = '' }: SourceList<T>,
  page: readonly unknown[],
  place: string,
): Promise<T[]> {
  const readable = [];
  for (const [at, found] of page.entries()) {
    if (record.fits(found)) {
      readable.push(found);
      continue;
    }
    const position = `${pathOf(client, place)} ${hash('sha1', place, 'hex').slice(0, 8)} ${at + 1}`;
    await run.fail(kind, within + (nameOf(found) ?? position), new UnreadableRecord(record.problemOf(found)));
  }
  return readable;
}

const names = ['number', 'id', 'tag_name', 'name'];

/** What a record calls itself, if it can be said. */
function nameOf(found: unknown): string | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const own = new Map<string, unknown>(Object.entries(found));
  const [name] = names.map((field) => own.get(field)).filter((value) => value !== undefined);
  return typeof name === 'number' || typeof name === 'string' ? String(name) : undefined;
}

// Without what is asked for there: the other host chooses it for every page but the first.
function pathOf(client: HostClient, place: string): string {
  return URL.parse(place, client.base)?.pathname ?? '/';
}
