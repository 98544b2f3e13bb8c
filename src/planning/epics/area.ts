import type { Area } from '../../access/area.ts';
import { voteCounter } from '../award-emoji/public.ts';
import { epicAwardRoutes } from './awards/routes.ts';
import { childEpicRoutes } from './children/routes.ts';
import { epicDiscussionRoutes } from './discussions/routes.ts';
import { epicFields } from './issue-fields.ts';
import { epicIssueRoutes } from './issues/routes.ts';
import { assignEpic } from './issues/service.ts';
import { unlinkIssuesOf } from './issues/store.ts';
import { scheduleDescriptionMentions, scheduleNoteMentions } from './mentions.ts';
import { epicNoteRoutes } from './notes/routes.ts';
import { mayPromote, promoteToEpic } from './promote.ts';
import { epicReferences } from './references.ts';
import { relatedEpicRoutes } from './related/routes.ts';
import { epicEventRoutes } from './resource-events/routes.ts';
import { epicRoutes } from './routes.ts';
import { transferEpics } from './service.ts';
import { countVote, mergeLabels } from './store.ts';
import { epicTodoTarget } from './todo-target.ts';
import { updateEpicsAfterTransfer } from './transfer-store.ts';

const votes = voteCounter('Epic', countVote, { isNews: true });

export const epics: Area = {
  name: 'epics',
  routes: (services, gates) => [
    ...epicRoutes(services, gates),
    ...epicIssueRoutes(services, gates),
    ...childEpicRoutes(services, gates),
    ...relatedEpicRoutes(services, gates),
    ...epicNoteRoutes(services, gates),
    ...epicDiscussionRoutes(services, gates),
    ...epicAwardRoutes(services, gates),
    ...epicEventRoutes(services, gates),
  ],
  on: {
    'award.changed': votes.changed,
    'awards.dropped': votes.dropped,
    'epic.changed': scheduleDescriptionMentions,
    'note.changed': scheduleNoteMentions,
    'label.merged': (_services, trx, { labelIds, intoId }) => mergeLabels(trx, labelIds, intoId),
    'project.transferred': (_services, trx, { project, lost }) => unlinkIssuesOf(trx, project.id, lost),
    'project.uprooted': (_services, trx, { project, lost }) => unlinkIssuesOf(trx, project.id, lost),
    'group.transferred': updateEpicsAfterTransfer,
    'user.removed': transferEpics,
  },
  contributes: {
    'issues.fields': epicFields,
    'issues.setEpic': assignEpic,
    'issues.promotion': { may: mayPromote, promote: promoteToEpic },
    'markdown.references': epicReferences,
    'todos.targets': epicTodoTarget,
  },
};
