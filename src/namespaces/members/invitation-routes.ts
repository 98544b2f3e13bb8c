import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import { deleteInvitation, invite, listInvitations, updateInvitation } from './invitations.ts';
import type { Kind } from './kind.ts';
import * as params from './params.ts';
import { Invitation, Invited } from './schema.ts';

const tag = 'invitations';

/** Invitations by e-mail address. */
export function invitationRoutes(services: Services, { path, admin }: Kind): Route[] {
  const gate = admin;
  return [
    route({
      method: 'GET',
      path: `${path}/invitations`,
      tag,
      summary: 'List the invitations that wait',
      gate,
      params: params.invitations,
      paginated: true,
      answers: { 200: Type.Array(Invitation) },
      handle: ({ subject, params: { query }, page }) => listInvitations(services, subject, query, page),
    }),
    route({
      method: 'POST',
      path: `${path}/invitations`,
      tag,
      summary: 'Invite people by e-mail address or user',
      gate,
      params: params.invitation,
      rules: [atLeastOneOf('email', 'user_id')],
      answers: { 201: Invited },
      handle: ({ caller, subject, params: wanted }) => invite(services, caller, subject, wanted),
    }),
    route({
      method: 'PUT',
      path: `${path}/invitations/:email`,
      tag,
      summary: 'Change an invitation',
      gate,
      params: params.invitationChange,
      answers: { 200: Invitation },
      handle: ({ subject, params: { email, ...change } }) => updateInvitation(services, subject, email, change),
    }),
    route({
      method: 'DELETE',
      path: `${path}/invitations/:email`,
      tag,
      summary: 'Take an invitation back',
      gate,
      params: params.invitee,
      answers: { 204: null },
      handle: ({ subject, params: { email } }) => deleteInvitation(services, subject, email),
    }),
  ];
}
