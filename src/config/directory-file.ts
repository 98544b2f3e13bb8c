import { resolve } from 'node:path';
import { readEntries } from './entries-file.ts';
import { mistakesOf, type OneDirectory, oneDirectory } from './one-directory.ts';
import type { Setting } from './setting.ts';

/** Directories beside the first, and the file that they were read from. */
export interface DirectoryFile {
  readonly path: string;
  readonly directories: readonly OneDirectory[];
}

const kind = {
  table: oneDirectory,
  prefix: 'HEARTH_LDAP_',
  one: 'directory',
  many: 'directories',
  needed: ['url', 'provider'],
  mistakesOf,
  nameOf: ({ ldapProvider }: OneDirectory) => ldapProvider,
};

/** A file with a list of directories. */
export function directoryFile(env: string, help: string): Setting<DirectoryFile | undefined> {
  const parse = (given: string) => ({ path: resolve(given), directories: readEntries(given, kind) });
  return { kind: 'text', env, default: undefined, help, secret: false, parse, show: (file) => file?.path ?? '' };
}
