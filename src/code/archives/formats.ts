import type { ArchiveFormat } from '../../platform/git/archive/archive.ts';

/** What each suffix of the address asks for. */
export const suffixes = {
  'tar.gz': 'tar.gz',
  tgz: 'tar.gz',
  gz: 'tar.gz',
  'tar.bz2': 'tar.bz2',
  tbz: 'tar.bz2',
  tbz2: 'tar.bz2',
  tb2: 'tar.bz2',
  bz2: 'tar.bz2',
  tar: 'tar',
  zip: 'zip',
} as const satisfies Record<string, ArchiveFormat>;

export type Suffix = keyof typeof suffixes;

/** What an archive is of. */
export interface Archived {
  /** Last part of the project's path. */
  readonly project: string;
  /** As it was asked for, or the default branch. */
  readonly ref: string;
  /** Left out of the name when undefined. */
  readonly commit: string | undefined;
  readonly path: string;
}

/** The name of an archive, which is that of its top folder too. */
export function archiveName({ project, ref, commit, path }: Archived): string {
  const flat = (text: string) => text.replaceAll('/', '-');
  const parts = [project, ref, commit ?? '', path].filter((part) => part !== '');
  return parts.map(flat).join('-');
}
