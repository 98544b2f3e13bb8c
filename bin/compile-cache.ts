import { accessSync, constants, existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Everything imported from here on is compiled once, then read from the cache.
const directory = compileCacheDirectory();
if (directory !== undefined) enableCompileCache(directory);

// Not the system's temporary directory: whoever can write there could give us code to run.
function compileCacheDirectory(): string | undefined {
  const checkout = join(import.meta.dirname, '..');
  if (isWritable(checkout)) return join(checkout, '.cache', 'compile');
  const data = dataDirectory();
  // Only the server makes the data directory: it must not be open to others.
  return existsSync(data) && isWritable(data) ? join(data, 'cache', 'compile') : undefined;
}

// The settings cannot be read yet: reading them is already code to compile.
function dataDirectory(): string {
  const flag = process.argv.findIndex((word) => word === '--data' || word.startsWith('--data='));
  const given = process.argv[flag]?.split('=')[1] ?? process.argv[flag + 1];
  return (flag === -1 ? process.env.HEARTH_DATA : given) || 'data';
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
