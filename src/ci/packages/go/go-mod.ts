/** What of a `go.mod` decides which module it is of, and what is in its zip. */
export interface GoMod {
  readonly module: string | undefined;
  /** The version of the language, as two numbers; 1.0 where it names none. */
  readonly language: readonly [number, number];
}

const unquoted = (text: string) => text.replace(/^(["`])(.*)\1$/, '$2');

/** Reads a `go.mod`, where `module` may stand alone or with its path in brackets below it. */
export function readGoMod(text: string): GoMod {
  let module: string | undefined;
  let language: [number, number] = [1, 0];
  let inModule = false;
  for (const line of text.split('\n')) {
    const [code = ''] = line.split('//', 1);
    const [first, second] = code.trim().split(/\s+/, 2);
    if (inModule && first) module ??= first === ')' ? undefined : unquoted(first);
    if (first === 'module' && second !== '(' && second) module ??= unquoted(second);
    inModule = (inModule && first !== ')') || (first === 'module' && second === '(');
    const [, major, minor] = (first === 'go' && /^(\d{1,4})\.(\d{1,4})/.exec(second ?? '')) || [];
    if (major !== undefined) language = [Number(major), Number(minor)];
  }
  return { module, language };
}

/**
 * Which of the files below the folder of a module belong into its zip: not those of folders that are modules
 * themselves, nor those of vendored packages. Checksums of modules depend on it, and so on what go before 1.24 took
 * for one: its rule began to look in the wrong place.
 */
export function isInZip(path: string, { modules, language: [major, minor] }: Rules): boolean {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (modules.has(path.slice(0, at))) return false;
  }
  const isLater = major > 1 || minor >= 24;
  if (isLater && path === 'vendor/modules.txt') return false;
  const nested = path.indexOf('/vendor/');
  if (path.startsWith('vendor/')) return !path.slice('vendor/'.length).includes('/');
  if (nested < 0) return true;
  return !path.slice((isLater ? nested : 0) + '/vendor/'.length).includes('/');
}

export interface Rules extends Pick<GoMod, 'language'> {
  /** The folders below that of the module which have a `go.mod`, in any spelling. */
  readonly modules: ReadonlySet<string>;
}
