import { accessSync, constants, existsSync } from 'node:fs';
import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module';
import { join } from 'node:path';

// Everything imported from here on is compiled once, then read from the cache.
const directory = compileCacheDirectory();
if (directory !== undefined) enableCompileCache(directory);
resolveOurModulesQuickly();

/**
 * Half of the time of loading two thousand files goes into finding each of them again for each import. Ours are named by
 * their whole relative path, so nothing has to be looked for; and all of them mean the same package by a name.
 */
function resolveOurModulesQuickly(): void {
  const ours = new URL('..', import.meta.url).href;
  const modules = `${ours}node_modules/`;
  const packages = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL;
      if (parent === undefined || !parent.startsWith(ours) || parent.startsWith(modules))
        return next(specifier, context);
      if (specifier.startsWith('.')) {
        if (!specifier.endsWith('.ts')) return next(specifier, context);
        return { url: new URL(specifier, parent).href, format: 'module-typescript', shortCircuit: true };
      }
      if (context.conditions.includes('require')) return next(specifier, context);
      const known = packages.get(specifier);
      if (known !== undefined) return known;
      const found = { ...next(specifier, context), shortCircuit: true };
      packages.set(specifier, found);
      return found;
    },
  });
}

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
