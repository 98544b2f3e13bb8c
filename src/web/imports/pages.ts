import type { Page } from '../frame/visit.ts';
import { archivePages } from './archive.ts';
import { hostPages } from './choose.ts';
import { exportPages } from './export.ts';
import { gitUrlPages } from './git-url.ts';
import { groupArchivePages } from './group-archive.ts';
import { groupExportPages } from './group-export.ts';
import { progressPages } from './progress.ts';
import { reassignmentPages } from './reassignments.ts';
import { statusPages } from './status.ts';
import { transferPages } from './transfers.ts';

/** Pages for imports and exports. */
export const importPages: readonly Page[] = [
  ...gitUrlPages,
  ...archivePages,
  ...statusPages,
  ...transferPages,
  ...hostPages,
  ...progressPages,
  ...exportPages,
  ...groupExportPages,
  ...groupArchivePages,
  ...reassignmentPages,
];
