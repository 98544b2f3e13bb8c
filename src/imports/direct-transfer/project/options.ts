import type { ArchiveOptions } from '../../project-archives/public.ts';
import type { SourceAccess } from '../source.ts';

export const migrationType = 'gitlab_migration';

/** Import options with the source of the project. */
export interface TransferOptions extends Omit<ArchiveOptions, 'url'>, SourceAccess {
  readonly host: string;
  readonly sourceId: number;
  readonly fullPath: string;
  readonly members: boolean;
}
