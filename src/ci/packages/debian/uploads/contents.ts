import type { Services } from '../../../../access/services.ts';
import { FileMissing } from '../../../../platform/storage/storage.ts';
import type { DebianFilesTable, PackageFileRow } from '../../tables.ts';
import { readControl } from '../control/read.ts';
import { valuesOf } from '../distributions/service.ts';
import { distributionById, distributionNamed } from '../distributions/store.ts';
import { type ListedFile, readChanges, readSourceControl, type Source } from '../formats/upload-lists.ts';
import { type BinaryEntry, binaryEntry, requireSame, sourceEntry } from '../index-entries.ts';
import { isBinary, kindOf } from '../names.ts';
import { Rejected } from '../rejected.ts';
import * as store from './store.ts';

const maxListBytes = 2 * 1024 ** 2;

/** An incoming file. */
export type UploadedFile = PackageFileRow & { readonly project_id: number };

type Entry = Omit<DebianFilesTable, 'file_id' | 'distribution_id'>;

/** What an upload adds to a distribution. */
export interface Upload {
  readonly distributionId: number;
  readonly source: Source;
  readonly files: readonly { readonly id: number; readonly entry: Entry }[];
  /** The names of all files, including those that are in the distribution already. */
  readonly names: readonly string[];
}

interface Target {
  readonly id: number;
  readonly components: readonly string[];
  readonly architectures: readonly string[];
}

/** Reads a binary package for a distribution that the uploader chose. */
export async function readBinary(
  services: Services,
  file: UploadedFile,
  { distributionId, component }: { readonly distributionId: number; readonly component: string },
): Promise<Upload> {
  const row = await distributionById(services.db.read, distributionId);
  if (!row) throw new Rejected('the distribution was deleted');
  const target = { id: row.id, ...valuesOf(row) };
  if (!target.components.includes(component)) throw new Rejected(`the distribution has no component ${component}`);
  const { source, ...binary } = await readEntry(services, file, target);
  const published = await publishedAs(services, target, [file]);
  const names = [file.file_name];
  if (published.size > 0) return { distributionId, source, files: [], names };
  const files = [{ id: file.id, entry: entryOf(file.file_name, component, binary) }];
  return { distributionId, source, files, names };
}

const entryOf = (
  file_name: string,
  component: string,
  { architecture = '', paragraph = '' }: { readonly architecture?: string; readonly paragraph?: string } = {},
): Entry => ({ file_name, component, architecture, kind: kindOf(file_name), paragraph });

/** Reads a `.changes` and verifies the files that it lists. */
export async function readUpload(services: Services, file: UploadedFile): Promise<Upload> {
  const { db } = services;
  const { name, version, distribution, files: listed } = readChanges(await readText(services, file));
  const row = await distributionNamed(db.read, { project_id: file.project_id }, distribution);
  if (!row) throw new Rejected(`the project has no distribution ${distribution}`);
  const target = { id: row.id, ...valuesOf(row) };
  const published = await publishedAs(services, target, [...listed, { ...file, name: file.file_name }]);
  const names = [...listed.map((one) => one.name), file.file_name];
  const incoming = await store.incomingNamed(db.read, file.package_id, names);
  const source = { name, version };
  const known = new Map([...listed, ...published.values()].map((one) => [one.name, one]));
  const files: { id: number; entry: Entry }[] = [];
  for (const one of listed) {
    if (published.has(one.name)) continue;
    const row = incoming.get(one.name);
    if (!row) throw new Rejected(`${one.name} is missing`);
    requireSame(row, one);
    const component = componentOf(one, target);
    const content = await describe(services, row, { one, source, target, known }).catch((error: unknown) => {
      throw error instanceof Rejected ? new Rejected(`${one.name}: ${error.message}`) : error;
    });
    files.push({ id: row.id, entry: entryOf(one.name, component, content) });
  }
  if (!published.has(file.file_name)) {
    files.push({ id: file.id, entry: entryOf(file.file_name, target.components[0] ?? 'main') });
  }
  return { distributionId: target.id, source, files, names };
}

interface Known {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

interface Described {
  readonly one: ListedFile;
  readonly source: Source;
  readonly target: Target;
  /** The files of the upload and of the distribution. */
  readonly known: ReadonlyMap<string, Known>;
}

/** Reads what the indexes say about a file. */
async function describe(services: Services, row: PackageFileRow, { one, source, target, known }: Described) {
  const kind = kindOf(one.name);
  if (isBinary(kind)) {
    const entry = await readEntry(services, row, target);
    if (entry.source.name !== source.name) throw new Rejected(`it belongs to ${entry.source.name}`);
    return entry;
  }
  if (kind !== 'dsc') return {};
  const control = readSourceControl(await readText(services, row));
  if (control.name !== source.name || control.version !== source.version) {
    throw new Rejected(`it belongs to ${control.name} ${control.version}`);
  }
  const others = control.files.filter((file) => !known.has(file.name)).map((file) => ({ ...file, id: 0 }));
  const earlier = await earlierFiles(services, target.id, source.name, others);
  for (const file of control.files) {
    const found = known.get(file.name) ?? earlier.get(file.name);
    if (!found) throw new Rejected(`${file.name} is missing`);
    if (found.sha256 !== file.sha256 || Number(found.size) !== file.size) {
      throw new Rejected(`the checksums of ${file.name} are not the listed ones`);
    }
  }
  return { architecture: 'source', paragraph: sourceEntry(control, one) };
}

/** Upstream files that an earlier version of the source package brought along: revisions do not repeat them. */
async function earlierFiles(
  { db }: Services,
  distributionId: number,
  sourceName: string,
  files: readonly ListedFile[],
): Promise<Map<string, { sha256: string; size: number }>> {
  const found = await store.publishedNamed(
    db.read,
    distributionId,
    files.map(({ name }) => name),
  );
  return new Map(found.flatMap((row) => (row.name === sourceName ? [[row.file_name, row]] : [])));
}

async function readEntry(services: Services, file: PackageFileRow, target: Target): Promise<BinaryEntry> {
  const { stream } = await open(services, file);
  const entry = binaryEntry(await readControl(stream), { ...file, size: Number(file.size) });
  if (!target.architectures.includes(entry.architecture)) {
    throw new Rejected(`the distribution has no architecture ${entry.architecture}`);
  }
  return entry;
}

/** Files that are in the distribution already. Other content of the same name is rejected, because clients keep it. */
async function publishedAs(
  { db }: Services,
  target: Target,
  files: readonly { readonly name?: string; readonly file_name?: string; readonly sha256: string }[],
): Promise<Map<string, Known>> {
  const nameOf = ({ name, file_name }: (typeof files)[number]) => name ?? file_name ?? '';
  const rows = await store.publishedNamed(db.read, target.id, files.map(nameOf));
  const found = new Map(rows.map((row) => [row.file_name, { ...row, name: row.file_name, size: Number(row.size) }]));
  for (const file of files) {
    const other = found.get(nameOf(file));
    if (other && other.sha256 !== file.sha256) {
      throw new Rejected(`${nameOf(file)} is in the distribution already, with other content`);
    }
  }
  return found;
}

/** The component is the first part of the section, if it has two. */
function componentOf({ name, section = '' }: ListedFile, { components }: Target): string {
  const [only] = components;
  const component = section.includes('/') ? (section.split('/')[0] ?? '') : 'main';
  if (components.includes(component)) return component;
  if (components.length === 1 && only !== undefined && !section.includes('/')) return only;
  throw new Rejected(`${name}: the distribution has no component ${component}`);
}

async function open({ storage }: Services, { storage_key }: PackageFileRow) {
  return storage.get(storage_key).catch((error: unknown) => {
    throw error instanceof FileMissing ? new Rejected('it was removed') : error;
  });
}

async function readText(services: Services, file: PackageFileRow): Promise<string> {
  if (Number(file.size) > maxListBytes) throw new Rejected(`it is larger than ${maxListBytes} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of (await open(services, file)).stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
