import Type from 'typebox';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { pageGate } from '../../repository/public.ts';
import { releaseTagParams } from '../params.ts';
import { requireRelease } from '../service.ts';
import { evidenceSummary } from './store.ts';

/**
 * `/<project>/-/releases/<tag>/evidences/<id>.json`. Returns the stored bytes unchanged, so that the digest can be
 * verified.
 */
export function evidencePage(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/page/evidence/:id/:tag_name/:evidence_id',
    tag: 'releases',
    summary: 'Download the evidence of a release by its web URL',
    gate: pageGate(services, 'read_release'),
    params: { ...releaseTagParams, evidence_id: required(param.integer()) },
    responses: { 200: Type.String() },
    handle: async ({ subject, params, reply }) => {
      if (!subject.can('read_code')) throw new Forbidden();
      const release = await requireRelease(services, subject, params.tag_name);
      const summary = await evidenceSummary(services.db.read, release.id, params.evidence_id);
      if (summary === undefined) throw NotFound.record();
      return reply.header('content-type', 'application/json').send(summary);
    },
  });
}
