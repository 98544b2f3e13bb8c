import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import Type from 'typebox';
import { type JsonShape, jsonShape } from '../../platform/json-shape.ts';
import type { HostClient } from '../host-client/public.ts';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';

/** A record of the source host does not have the expected format. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** A collection of records, with the kind under which they are counted. */
export interface SourceList<T> {
  readonly kind: string;
  readonly record: JsonShape<T>;
  /** Namespace of the record IDs, if they are not unique by themselves. */
  readonly within?: string;
}

/** Maximum number of records per response; requests ask for fewer. */
const maxRecords = 1000;

/** A page of records, which are validated individually. */
export const recordList = Type.Array(Type.Unknown(), { maxItems: maxRecords });

/**
 * Requests data the import cannot do without. Retries once, because a host in trouble may briefly send unexpected
 * responses; a second unexpected response is final.
 */
export async function requestOrFail<T>(
  run: Pick<ImportRun, 'signal'>,
  client: HostClient,
  place: string,
  shape: JsonShape<T>,
): Promise<{ readonly body: T; readonly headers: IncomingHttpHeaders }> {
  for (let attempts = 1; ; attempts++) {
    const { body, headers } = await client.get<unknown>(place, { signal: run.signal });
    if (shape.fits(body)) return { body, headers };
    if (attempts === 2) {
      throw new ImportFailed(`The answer for ${pathOf(client, place)} cannot be read: it ${shape.problemOf(body)}`);
    }
  }
}

const recordListShape = jsonShape(recordList);

/** Requests a page that consists of a list only. */
export async function requestListOrFail(run: Pick<ImportRun, 'signal'>, client: HostClient, place: string) {
  return requestOrFail(run, client, place, recordListShape);
}

/** Returns the valid records of a page; invalid ones are recorded as failures of their kind. */
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

/** The identifier of a record, if it has one. */
function nameOf(found: unknown): string | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const own = new Map<string, unknown>(Object.entries(found));
  const [name] = names.map((field) => own.get(field)).filter((value) => value !== undefined);
  return typeof name === 'number' || typeof name === 'string' ? String(name) : undefined;
}

// Only the path: the source host chooses the query of every page but the first, and it may contain secrets.
function pathOf(client: HostClient, place: string): string {
  return URL.parse(place, client.base)?.pathname ?? '/';
}
