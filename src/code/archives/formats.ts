import type { ArchiveFormat } from '../../platform/git/archive/archive.ts';

/** Archive formats by URL suffix. */
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

/** The parts of an archive name. */
export interface Archived {
  /** Last part of the project's path. */
  readonly project: string;
  /** The requested ref, or the default branch. */
  readonly ref: string;
  /** Omitted from the name when undefined. */
  readonly commit: string | undefined;
  readonly path: string;
}

/** The base name of an archive, also used for its top-level folder. */
export function archiveName({ project, ref, commit, path }: Archived): string {
  const flat = (text: string) => text.replaceAll('/', '-');
  const parts = [project, ref, commit ?? '', path].filter((part) => part !== '');
  return parts.map(flat).join('-');
}
