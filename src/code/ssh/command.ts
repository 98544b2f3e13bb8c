import { trimCharacters } from '../../platform/trim.ts';
/** What an SSH client asks for: one of git's services on a repository, a credential for its large files, recovery codes or a token. */
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

// A wiki of a group at the top has one segment; nothing else does.
// A wiki of a group at the top has one segment, and so has the alias of a project.
const segments = /^(?!-)[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/;

/**
 * Reads the command line that an SSH client sends; undefined for anything but the few that are known. Nothing of it ever
 * reaches a shell or becomes an option.
 */
export function readSshCommand(line: string): SshCommand | undefined {
  const words = splitWords(line);
  if (!words) return undefined;
  // Very old clients write `git upload-pack`.
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

/** The project's path in what a client wrote: with or without a slash before it and `.git` after it. */
function repositoryPath(text: string): string | undefined {
  const path = trimCharacters(text, '/').replace(/\.git$/, '');
  return segments.test(path) ? path : undefined;
}

/** Words as a shell would see them, quotes included; undefined where a shell would do more than split. */
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
