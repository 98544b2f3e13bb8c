// @ts-check
import { accessSync, constants, existsSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { dirname, extname, join } from 'node:path';

// Everything imported from here on is compiled once, then read from the cache.
const directory = compileCacheDirectory();
if (directory !== undefined) enableCompileCache(directory);
resolveQuickly();

/**
 * Half of the time of loading four thousand files goes into finding each of them again for each import. Ours are named by
 * their whole relative path, so nothing has to be looked for; and all of them mean the same package by a name. What a module
 * of a package imports by a relative path with its own ending is a module too.
 */
function resolveQuickly() {
  const ours = new URL('..', import.meta.url).href;
  const modules = `${ours}node_modules/`;
  /** @type {Map<string, import('node:module').ResolveFnOutput>} */
  const packages = new Map();
  /** What packages consist of, as far as it is known to be modules. @type {Set<string>} */
  const modulesOfPackages = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL;
      if (parent === undefined) return next(specifier, context);
      if (modulesOfPackages.has(parent)) {
        if (!specifier.startsWith('.') || extname(specifier) !== extname(parent)) return next(specifier, context);
        const url = beside(parent, specifier);
        modulesOfPackages.add(url);
        return { url, format: 'module', shortCircuit: true };
      }
      if (!parent.startsWith(ours) || parent.startsWith(modules)) return next(specifier, context);
      if (specifier.startsWith('.')) {
        if (!specifier.endsWith('.ts')) return next(specifier, context);
        return { url: beside(parent, specifier), format: 'module-typescript', shortCircuit: true };
      }
      if (context.conditions.includes('require')) return next(specifier, context);
      const known = packages.get(specifier);
      if (known !== undefined) return known;
      const found = { ...next(specifier, context), shortCircuit: true };
      packages.set(specifier, found);
      if (found.format === 'module') modulesOfPackages.add(found.url);
      return found;
    },
  });
}

/**
 * What a relative path means in a module: as `new URL` says, in a third of its time.
 * @param {string} parent
 * @param {string} path
 */
function beside(parent, path) {
  let folder = dirname(parent);
  let rest = path.startsWith('./') ? path.slice(2) : path;
  for (; rest.startsWith('../'); rest = rest.slice(3)) folder = dirname(folder);
  return /[?#%\\]|\.\//.test(rest) ? new URL(path, parent).href : `${folder}/${rest}`;
}

// Not the system's temporary directory: whoever can write there could give us code to run.
function compileCacheDirectory() {
  const checkout = join(import.meta.dirname, '..');
  if (isWritable(checkout)) return join(checkout, '.cache', 'compile');
  const data = dataDirectory();
  // Only the server makes the data directory: it must not be open to others.
  return existsSync(data) && isWritable(data) ? join(data, 'cache', 'compile') : undefined;
}

// The settings cannot be read yet: reading them is already code to compile.
function dataDirectory() {
  const flag = process.argv.findIndex((word) => word === '--data' || word.startsWith('--data='));
  const given = process.argv[flag]?.split('=')[1] ?? process.argv[flag + 1];
  return (flag === -1 ? process.env.HEARTH_DATA : given) || 'data';
}

/** @param {string} path */
function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
