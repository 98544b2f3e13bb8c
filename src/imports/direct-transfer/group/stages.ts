import { rm } from 'node:fs/promises';
import type { Services } from '../../../access/services.ts';
import {
  type GroupRun,
  importBadges,
  importBoards,
  importEpics,
  importLabels,
  importMembers,
  importMilestones,
  importUploads,
  placeEpics,
} from '../../group-relations/public.ts';
import type { TransferRun, TransferStage } from '../transfer-run.ts';
import { listProjects, listSubgroups } from './children.ts';
import { beginGroup } from './create.ts';
import { folderOf, groupRun, prepareRelations } from './lines.ts';

const reading = (read: (run: GroupRun) => Promise<void>) => (run: TransferRun) => read(groupRun(run));

/** Imports memberships, if requested. */
async function importMembersIfRequested(run: TransferRun): Promise<void> {
  if (run.entity.migrate_memberships === 1) await importMembers(groupRun(run));
}

/** Creates and fills a group; its subgroups and projects become separate entities. */
export const groupStages: readonly TransferStage[] = [
  { name: 'group', run: beginGroup },
  { name: 'relations', run: prepareRelations },
  { name: 'uploads', run: reading(importUploads) },
  { name: 'labels', run: reading(importLabels) },
  { name: 'milestones', run: reading(importMilestones) },
  { name: 'badges', run: reading(importBadges) },
  { name: 'boards', run: reading(importBoards) },
  { name: 'epics', run: reading(importEpics) },
  { name: 'epic_parents', run: reading(placeEpics) },
  { name: 'members', run: importMembersIfRequested },
  { name: 'subgroups', run: listSubgroups },
  { name: 'projects', run: listProjects },
];

/** Deletes downloaded files; they can be downloaded again if needed. */
export async function clearFolder(services: Services, entityId: number): Promise<void> {
  await rm(folderOf(services, entityId), { recursive: true, force: true });
}
