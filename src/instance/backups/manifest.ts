import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { ifMissing } from '../../platform/missing.ts';
import { storedJson } from '../../platform/stored-json.ts';

const table = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
  /** The last number that a row was given; null for tables that do not number their rows. */
  lastId: Type.Union([Type.Integer(), Type.Null()]),
  /** Of the file, hexadecimal. */
  sha256: Type.String(),
});

const schema = Type.Object({
  /** Of the layout; another number is for another version to read. */
  format: Type.Literal(1),
  /** The version of Hearth that wrote it. */
  version: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  takenAt: Type.String(),
  migrations: Type.Array(Type.String()),
  tables: Type.Array(table),
  repositories: Type.Integer(),
  files: Type.Integer(),
});

/** What a backup says of itself; written last, so that a folder that has it is complete. */
export type Manifest = Static<typeof schema>;
export type TableEntry = Static<typeof table>;

export const manifestName = 'backup.json';

const parse = storedJson(schema);

/** The manifest of a folder; undefined where there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(ifMissing);
  return text === undefined ? undefined : parse(text);
}

/** Where the parts of a backup lie in its folder. */
export const partsOf = (folder: string) => ({
  table: (name: string) => join(folder, 'database', `${name}.jsonl.zst`),
  repositories: join(folder, 'repositories'),
  storage: join(folder, 'storage'),
  /** What else lies in the data directory: keys above all. */
  rest: join(folder, 'data'),
});

/**
 * What of the data directory is not copied with the rest: what is copied in its own way, and what each server makes for
 * itself.
 */
export function isNotRest(name: string): boolean {
  return /^(hearth\.db.*|repositories|storage|tmp|git|runner)$/.test(name);
}
