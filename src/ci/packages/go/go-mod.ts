/** The parts of a `go.mod` that determine the module path and the contents of its zip. */
export interface GoMod {
  readonly module: string | undefined;
  /** Go language version as major and minor; 1.0 if not specified. */
  readonly language: readonly [number, number];
}

const unquoted = (text: string) => text.replace(/^(["`])(.*)\1$/, '$2');

/** Parses a `go.mod`. The `module` directive can be a single line or a block. */
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
 * Whether a file belongs to the zip of a module: files of nested modules and of vendored packages do not. Module
 * checksums depend on this, including the behaviour before Go 1.24, which looked for nested vendor folders at the wrong
 * offset.
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
  /** Folders below the module that contain a `go.mod`, in any letter case. */
  readonly modules: ReadonlySet<string>;
}
