import { datedSeconds } from '../../../platform/git/objects/identity.ts';

/** What stands behind `/packages/go/`: what the go command asks of a module. */
export type GoQuestion =
  | { readonly module: string; readonly asks: 'list' }
  | { readonly module: string; readonly asks: 'latest' }
  | { readonly module: string; readonly asks: 'info' | 'mod' | 'zip'; readonly version: string };

/** The go command writes `!a` for `A`: not every file system tells them apart. */
export function unescapeGo(text: string): string | undefined {
  if (/[A-Z]|!(?![a-z])/.test(text)) return undefined;
  return text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads `module/@v/list`, `module/@v/version.info`, `.mod` and `.zip`, and `module/@latest`. */
export function readGoAddress(rest: string): GoQuestion | undefined {
  const [, escaped = '', question = ''] = /^(.+?)\/@(v\/.+|latest)$/.exec(rest) ?? [];
  const module = unescapeGo(escaped);
  if (!module) return undefined;
  if (question === 'latest') return { module, asks: 'latest' };
  if (question === 'v/list') return { module, asks: 'list' };
  const [, asked = '', asks] = /^v\/([^/]+)\.(info|mod|zip)$/.exec(question) ?? [];
  const version = unescapeGo(asked);
  return version ? { module, asks: asks as 'info' | 'mod' | 'zip', version } : undefined;
}

/** Where in a repository a module is, by its path. */
export interface ModulePlace {
  readonly module: string;
  /** The folder, empty for the root; of `v2` and on it may be the folder of that name in it. */
  readonly folder: string;
  /** The number at the end of its path; 1 for the first two, which have none. */
  readonly major: number;
}

/** Takes the path of a module apart, given that of the repository; undefined where it is not in there. */
export function modulePlace(module: string, repository: string): ModulePlace | undefined {
  if (module !== repository && !module.startsWith(`${repository}/`)) return undefined;
  const parts = module === repository ? [] : module.slice(repository.length + 1).split('/');
  const number = /^v([2-9]|[1-9]\d{1,8})$/.exec(parts.at(-1) ?? '')?.[1];
  if (number !== undefined) parts.pop();
  if (parts.some((part) => part === '' || part.startsWith('.'))) return undefined;
  return { module, folder: parts.join('/'), major: Number(number ?? 1) };
}

const version = /^v(0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const pseudo = /^v(\d{1,9})\.\d{1,9}\.\d{1,9}-(?:(?:[0-9A-Za-z.-]*\.)?0\.)?(\d{14})-([0-9a-f]{12})$/;

const isOf = (number: string | undefined, major: number) => Math.max(Number(number), 1) === major;

/** Whether a text is a version that a tag can give a module: one that looks made of a commit cannot. */
export function isTaggedVersion(text: string, major: number): boolean {
  const found = text.length <= 255 ? version.exec(text) : null;
  return found !== null && isOf(found[1], major) && !pseudo.test(text);
}

/** Whether a text is a version, of whatever module: it is no branch then. */
export function isVersion(text: string): boolean {
  return /^v\d+\.\d+\.\d+(?:[-+]|$)/.test(text);
}

/** A version that stands for a commit which no tag names. */
export interface PseudoVersion {
  /** When it was committed, as `20260102030405`. */
  readonly time: string;
  /** The beginning of its id. */
  readonly revision: string;
}

export function readPseudoVersion(text: string, major: number): PseudoVersion | undefined {
  const [, number, time = '', revision = ''] = (text.length <= 255 && pseudo.exec(text)) || [];
  return number !== undefined && isOf(number, major) ? { time, revision } : undefined;
}

/** The time of a commit as such versions have it. */
export function pseudoTime(seconds: number): string {
  return new Date(datedSeconds(seconds) * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** The version that stands for a commit: the next behind that of the last tag before it, if there is one. */
export function pseudoVersion(major: number, seconds: number, oid: string, base?: string): string {
  const made = `${pseudoTime(seconds)}-${oid.slice(0, 12)}`;
  if (base === undefined) return `v${major === 1 ? 0 : major}.0.0-${made}`;
  if (base.includes('-')) return `${base}.0.${made}`;
  const [first, second, third = 0] = numbersOf(base);
  return `v${first}.${second}.${third + 1}-0.${made}`;
}

const numbersOf = (text: string) => text.slice(1).split('-', 1)[0]?.split('.').map(Number) ?? [];
