import { accessSync, constants } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Everything imported from here on is compiled once, then read from the cache.
enableCompileCache(compileCacheDirectory());

// Not the system's temporary directory: whoever can write there could give us code to run.
function compileCacheDirectory(): string {
  const checkout = join(import.meta.dirname, '..');
  try {
    accessSync(checkout, constants.W_OK);
    return join(checkout, '.cache', 'compile');
  } catch {
    return join(process.env.HEARTH_DATA || 'data', 'cache', 'compile');
  }
}
