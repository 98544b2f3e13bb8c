import type { Area } from '../../access/area.ts';
import { accessRequestRoutes } from './access-requests/routes.ts';
import { awaitingRoutes } from './awaiting/routes.ts';
import { banRoutes } from './bans/routes.ts';
import { billableRoutes } from './billable/routes.ts';
import { memberImportRoutes } from './imports/routes.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { acceptPendingInvitations } from './invitations/service.ts';
import { memberJobs } from './jobs.ts';
import { memberRoutes } from './routes.ts';
import { endRolesOf } from './transfers-store.ts';

/** Members, invitations and access requests of projects and groups. */
export const members: Area = {
  name: 'members',
  routes: (services, gates) => [
    ...memberRoutes(services, gates),
    ...invitationRoutes(services, gates),
    ...accessRequestRoutes(services, gates),
    ...banRoutes(services, gates),
    ...awaitingRoutes(services, gates),
    ...billableRoutes(services, gates),
    ...memberImportRoutes(services, gates),
  ],
  jobs: memberJobs,
  on: {
    'email.confirmed': acceptPendingInvitations,
    'group.transferred': (_services, trx, { group, lost }) => endRolesOf(trx, lost, { group: group.id }),
    'project.transferred': (_services, trx, { project, lost }) => endRolesOf(trx, lost, { project: project.id }),
  },
};
