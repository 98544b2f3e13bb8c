import type { Area } from '../../access/area.ts';
import { epicBoardRoutes } from './epic-boards/routes.ts';
import { boardListRoutes } from './lists/routes.ts';
import { boardRoutes } from './routes.ts';
import { columnsOfOnlyBoard, mergeLabels, mergeMilestones } from './store.ts';
import { deleteFormerGroupLists, updateBoardsAfterTransfer } from './transfer-store.ts';

export const boards: Area = {
  name: 'boards',
  routes: (services, gates) => [
    ...boardRoutes(services, gates),
    ...boardListRoutes(services, gates),
    ...epicBoardRoutes(services, gates),
  ],
  on: {
    'label.merged': (_services, trx, { labelIds, intoId }) => mergeLabels(trx, labelIds, intoId),
    'milestone.merged': (_services, trx, { milestoneIds, into }) => mergeMilestones(trx, milestoneIds, into.id),
    'project.transferred': updateBoardsAfterTransfer,
    'project.uprooted': updateBoardsAfterTransfer,
    'group.transferred': (_services, trx, { group, lost }) => deleteFormerGroupLists(trx, group.id, lost),
  },
  contributes: { 'issues.boardColumns': columnsOfOnlyBoard },
};
