import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { param, required } from '../../platform/http/params.ts';
import { pageGate, type RefType, splitRefAndPath } from '../repository/public.ts';
import { archiveCache } from './cache.ts';
import { archiveName, type Suffix, suffixes } from './formats.ts';
import * as schema from './schema.ts';
import { sendArchive } from './service.ts';

const types: readonly RefType[] = ['heads', 'tags'];
const bySpecificity = (Object.keys(suffixes) as Suffix[]).sort((a, b) => b.length - a.length);

/**
 * `/<project>/-/archive/<ref>/<name>.<suffix>`, the name being optional. Releases link to their sources with these
 * URLs.
 */
export function archivePage(services: Services): Route {
  const cache = archiveCache(services);
  return route({
    method: 'GET',
    path: '/-/page/archive/:id/*',
    tag: 'repositories',
    summary: 'Download an archive by its web URL',
    gate: pageGate(services, 'read_code'),
    params: { ...schema.archive, '*': required(param.string()), ref_type: param.oneOf(types) },
    responses: { 200: Type.String(), 206: Type.String(), 304: null },
    handle: async (call) => {
      const { subject, params } = call;
      const address = params['*'];
      const suffix = bySpecificity.find((each) => address.endsWith(`.${each}`));
      if (suffix === undefined) throw new NotFound('File');
      const named = address.slice(0, -suffix.length - 1);
      const type = params.ref_type ? { type: params.ref_type } : {};
      const { ref, path: name } = await splitRefAndPath(services, subject, named, { whole: true, ...type });
      const shortName = archiveName({ project: subject.project.path, ref, commit: undefined, path: '' });
      // A request by the short name gets a top-level folder of the same name, which scripts rely on.
      const archiveRequest = { ...params, sha: ref, append_sha: params.append_sha && name !== shortName };
      return sendArchive(services, cache, call, suffixes[suffix], archiveRequest);
    },
  });
}
