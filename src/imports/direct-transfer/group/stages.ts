import { rm } from 'node:fs/promises';
import type { Services } from '../../../access/services.ts';
import type { TransferStage } from '../transfer-run.ts';
import { listProjects, listSubgroups } from './children.ts';
import { beginGroup } from './create.ts';
import { folderOf, prepareRelations } from './lines.ts';
import { importMembers } from './members.ts';
import { importBadges, importBoards, importEpics, importLabels, importMilestones, placeEpics } from './planning.ts';

/** A group is made and filled; what is in it follows as entities of their own. */
export const groupStages: readonly TransferStage[] = [
  { name: 'group', run: beginGroup },
  { name: 'relations', run: prepareRelations },
  { name: 'labels', run: importLabels },
  { name: 'milestones', run: importMilestones },
  { name: 'badges', run: importBadges },
  { name: 'boards', run: importBoards },
  { name: 'epics', run: importEpics },
  { name: 'epic_parents', run: placeEpics },
  { name: 'members', run: importMembers },
  { name: 'subgroups', run: listSubgroups },
  { name: 'projects', run: listProjects },
];

/** Removes what was fetched; what is needed again is fetched again. */
export async function clearFolder(services: Services, entityId: number): Promise<void> {
  await rm(folderOf(services, entityId), { recursive: true, force: true });
}
