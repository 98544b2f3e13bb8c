import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { pageGate, rawTypeOf } from '../../code/repository/public.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { param, required } from '../../platform/http/params.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { findFile } from './files.ts';
import { requireReadable } from './readable.ts';

/** Serves the files that wiki pages show and link to, at `/<project>/-/wikis/<path>`. */
export function wikiFilePage(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/page/wiki/:id/*',
    tag: 'wikis',
    summary: 'Download a wiki file',
    gate: pageGate(services, 'read_wiki'),
    params: { id: required(param.string()), '*': required(param.string()) },
    responses: { 200: Type.String() },
    handle: async ({ subject, params, signal, reply }) => {
      requireReadable(subject);
      const owner = { project_id: subject.project.id, namespace_id: null };
      const path = params['*'];
      const file = await findFile(services, owner, path, signal);
      if (!file) throw new NotFound('File');
      const { objects, oid, size, stream } = file;
      const filename = path.slice(path.lastIndexOf('/') + 1);
      return sendRaw(reply, stream, { size, filename, ...(await rawTypeOf(objects, { oid, size }, signal)) });
    },
  });
}
