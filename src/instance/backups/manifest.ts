import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { ifMissing } from '../../platform/missing.ts';
import { storedJson } from '../../platform/stored-json.ts';

const table = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
  /** The last id assigned; null for tables without an id sequence. */
  lastId: Type.Union([Type.Integer(), Type.Null()]),
  /** Hexadecimal digest of the file. */
  sha256: Type.String(),
});

const schema = Type.Object({
  /** Version of the backup format. */
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

/** Manifest of a backup; written last, so that a folder that has one is complete. */
export type Manifest = Static<typeof schema>;
export type TableEntry = Static<typeof table>;

export const manifestName = 'backup.json';

const parse = storedJson(schema);

/** Reads the manifest of a folder; undefined if there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(ifMissing);
  return text === undefined ? undefined : parse(text);
}

/** Paths of the parts of a backup in its folder. */
export const partsOf = (folder: string) => ({
  table: (name: string) => join(folder, 'database', `${name}.jsonl.zst`),
  repositories: join(folder, 'repositories'),
  storage: join(folder, 'storage'),
  /** Other files of the data directory, in particular the keys. */
  rest: join(folder, 'data'),
});

/**
 * Whether a file of the data directory is excluded from the plain copy: it is copied in a different way, or recreated
 * by each server.
 */
export function isCopiedSeparately(name: string): boolean {
  return /^(hearth\.db.*|repositories|storage|tmp|git|runner)$/.test(name);
}
