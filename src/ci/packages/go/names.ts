import { datedSeconds } from '../../../platform/git/objects/identity.ts';

/** A parsed request of the go command. */
export type GoRequest =
  | { readonly module: string; readonly asks: 'list' }
  | { readonly module: string; readonly asks: 'latest' }
  | { readonly module: string; readonly asks: 'info' | 'mod' | 'zip'; readonly version: string };

/** Decodes a module path: the go command writes `!a` for `A`, because some file systems are case-insensitive. */
export function unescapeGo(text: string): string | undefined {
  if (/[A-Z]|!(?![a-z])/.test(text)) return undefined;
  return text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Parses `module/@v/list`, `module/@v/version.info`, `.mod`, `.zip` and `module/@latest`. */
export function readGoAddress(rest: string): GoRequest | undefined {
  const [, escaped = '', question = ''] = /^(.+?)\/@(v\/.+|latest)$/.exec(rest) ?? [];
  const module = unescapeGo(escaped);
  if (!module) return undefined;
  if (question === 'latest') return { module, asks: 'latest' };
  if (question === 'v/list') return { module, asks: 'list' };
  const [, escapedVersion = '', asks] = /^v\/([^/]+)\.(info|mod|zip)$/.exec(question) ?? [];
  const version = unescapeGo(escapedVersion);
  return version ? { module, asks: asks as 'info' | 'mod' | 'zip', version } : undefined;
}

/** Location of a module in a repository, derived from its path. */
export interface ModulePlace {
  readonly module: string;
  /** Empty for the root. From v2 on, the module can also be in a subfolder named after the major version. */
  readonly folder: string;
  /** Major version suffix of the path; 1 for v0 and v1, which have none. */
  readonly major: number;
}

/** Locates a module path within a repository path; undefined if it is outside. */
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

/** Whether a string is a version a tag can define. Pseudo-versions cannot be tags. */
export function isTaggedVersion(text: string, major: number): boolean {
  const found = text.length <= 255 ? version.exec(text) : null;
  return found !== null && isOf(found[1], major) && !pseudo.test(text);
}

/** Whether a string is a version of any module, and therefore not a branch name. */
export function isVersion(text: string): boolean {
  return /^v\d+\.\d+\.\d+(?:[-+]|$)/.test(text);
}

/** A pseudo-version, which identifies an untagged commit. */
export interface PseudoVersion {
  /** Commit time, e.g. `20260102030405`. */
  readonly time: string;
  /** Prefix of the commit ID. */
  readonly revision: string;
}

export function readPseudoVersion(text: string, major: number): PseudoVersion | undefined {
  const [, number, time = '', revision = ''] = (text.length <= 255 && pseudo.exec(text)) || [];
  return number !== undefined && isOf(number, major) ? { time, revision } : undefined;
}

/** Commit time in the format of pseudo-versions. */
export function pseudoTime(seconds: number): string {
  return new Date(datedSeconds(seconds) * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** Pseudo-version of a commit, following the latest tag before it if there is one. */
export function pseudoVersion(major: number, seconds: number, oid: string, base?: string): string {
  const suffix = `${pseudoTime(seconds)}-${oid.slice(0, 12)}`;
  if (base === undefined) return `v${major === 1 ? 0 : major}.0.0-${suffix}`;
  if (base.includes('-')) return `${base}.0.${suffix}`;
  const [first, second, third = 0] = numbersOf(base);
  return `v${first}.${second}.${third + 1}-0.${suffix}`;
}

const numbersOf = (text: string) => text.slice(1).split('-', 1)[0]?.split('.').map(Number) ?? [];
