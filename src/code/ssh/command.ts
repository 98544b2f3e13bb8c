import { trimCharacters } from '../../platform/trim.ts';
/** A command sent by an SSH client: a git service, LFS authentication, recovery codes or an access token. */
export type SshCommand =
  | { readonly kind: 'recovery-codes' }
  | { readonly kind: 'access-token'; readonly args: readonly string[] }
  | { readonly kind: 'fetch' | 'push' | 'archive'; readonly path: string }
  | { readonly kind: 'lfs'; readonly path: string; readonly operation: 'upload' | 'download' };

const services: Readonly<Record<string, 'fetch' | 'push' | 'archive'>> = {
  'git-upload-pack': 'fetch',
  'git-receive-pack': 'push',
  'git-upload-archive': 'archive',
};

// Wikis of top-level groups and project aliases have a single segment.
const segments = /^(?!-)[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/;

/**
 * Parses the command line of an SSH client; undefined for unknown commands. No part of it is passed to a shell or used
 * as an option.
 */
export function readSshCommand(line: string): SshCommand | undefined {
  const words = splitWords(line);
  if (!words) return undefined;
  // Very old clients send `git upload-pack`.
  const [name = '', ...args] = words[0] === 'git' ? [`git-${words[1] ?? ''}`, ...words.slice(2)] : words;
  if (name === '2fa_recovery_codes') return args.length === 0 ? { kind: 'recovery-codes' } : undefined;
  if (name === 'personal_access_token') return { kind: 'access-token', args };
  const path = repositoryPath(args[0] ?? '');
  if (path === undefined) return undefined;
  const kind = Object.hasOwn(services, name) ? services[name] : undefined;
  if (kind !== undefined) return args.length === 1 ? { kind, path } : undefined;
  const operation = args[1];
  if (name !== 'git-lfs-authenticate' || args.length < 2 || args.length > 3) return undefined;
  return operation === 'upload' || operation === 'download' ? { kind: 'lfs', path, operation } : undefined;
}

/** Normalizes a repository path: a leading slash and the `.git` suffix are optional. */
function repositoryPath(text: string): string | undefined {
  const path = trimCharacters(text, '/').replace(/\.git$/, '');
  return segments.test(path) ? path : undefined;
}

/** Splits a line into words like a shell, including quotes; undefined if it contains other shell syntax. */
function splitWords(line: string): string[] | undefined {
  if (line.length > 4096) return undefined;
  const words: string[] = [];
  const word = /\s*(?:'([^']*)'|"([^"\\$`]*)"|([^\s'"\\$`|&;<>()*?[\]#~!{}]+))(?=\s|$)/y;
  const text = line.trim();
  while (word.lastIndex < text.length) {
    const match = word.exec(text);
    if (!match) return undefined;
    words.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return words;
}
