import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import { ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, readableGroup } from '../../access/subjects.ts';
import { pageGate, rawTypeOf } from '../../code/repository/public.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { param, required } from '../../platform/http/params.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { findFile } from './files.ts';
import { requireReadable } from './readable.ts';

const params = { id: required(param.string()), '*': required(param.string()) };

/** What all wiki file pages have in common. */
const page = { method: 'GET', tag: 'wikis', params, responses: { 200: Type.String() } } as const;

/** Serves the files that wiki pages show and link to, at `/<project>/-/wikis/<path>`. */
export function wikiFilePage(services: Services): Route {
  return route({
    ...page,
    path: '/-/page/wiki/:id/*',
    summary: 'Download a wiki file',
    gate: pageGate(services, 'read_wiki'),
    handle: ({ subject, params, signal, reply }) => sendFile(services, subject, params['*'], signal, reply),
  });
}

/** Serves those of groups, at `/groups/<group>/-/wikis/<path>`. */
export function groupWikiFilePage(services: Services): Route {
  return route({
    ...page,
    path: '/-/page/group-wiki/:id/*',
    summary: 'Download a wiki file of a group',
    gate: groupPageGate(services),
    handle: ({ subject, params, signal, reply }) => sendFile(services, subject, params['*'], signal, reply),
  });
}

function groupPageGate({ db }: Services): Gate<Actor, GroupSubject> {
  return {
    asks: { subject: 'group', ability: 'read_wiki' },
    async enter(actor, { id }) {
      const subject = await readableGroup(db, actor, id as string);
      if (!subject.can('read_wiki')) throw new Forbidden();
      return subject;
    },
  };
}

async function sendFile(
  services: Services,
  place: ProjectOrGroup,
  path: string,
  signal: AbortSignal,
  reply: FastifyReply,
) {
  requireReadable(place);
  const file = await findFile(services, ownerColumnsOf(place), path, signal);
  if (!file) throw new NotFound('File');
  const { objects, oid, size, stream } = file;
  const filename = path.slice(path.lastIndexOf('/') + 1);
  return sendRaw(reply, stream, { size, filename, ...(await rawTypeOf(objects, { oid, size }, signal)) });
}
