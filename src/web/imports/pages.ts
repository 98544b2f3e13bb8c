import type { Page } from '../frame/visit.ts';
import { archivePages } from './archive.ts';
import { hostPages } from './choose.ts';
import { gitUrlPages } from './git-url.ts';
import { progressPages } from './progress.ts';
import { statusPages } from './status.ts';
import { transferPages } from './transfers.ts';

/** What comes from elsewhere. */
export const importPages: readonly Page[] = [
  ...gitUrlPages,
  ...archivePages,
  ...statusPages,
  ...transferPages,
  ...hostPages,
  ...progressPages,
];
