import Type from 'typebox';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { pageGate } from '../../code/repository/public.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { mayReadPipelines } from '../pipelines/public.ts';
import * as store from './store.ts';
import { type Badge, coverageBadge, pipelineBadge, releaseBadge, renderBadge } from './svg.ts';

const params = {
  id: required(param.string()),
  kind: required(param.oneOf(['pipeline', 'coverage', 'release'])),
  ref: param.string(),
  job: param.string(),
  key_text: param.string(),
  key_width: param.integer(),
  ignore_skipped: withDefault(param.boolean(), false),
  style: withDefault(param.oneOf(['flat', 'flat-square']), 'flat' as const),
};

const maxKeyLength = 64;
const maxKeyWidth = 512;

/** Serves the pipeline, coverage and release badges of a project as SVG. */
export function badgePage(services: Services): Route {
  return route({
    method: 'GET',
    path: '/-/page/badge/:id/:kind',
    tag: 'badges',
    summary: 'Get a project badge as SVG',
    gate: pageGate(services, 'read_project'),
    params,
    responses: { 200: Type.String() },
    handle: async ({ subject, params: query, reply }) => {
      const { key_text, key_width, style } = query;
      const badge = await badgeOf(services, subject, query);
      const key = key_text && key_text.length <= maxKeyLength ? key_text : query.kind;
      const width = key_width !== undefined && key_width > 0 && key_width <= maxKeyWidth ? key_width : undefined;
      return reply
        .header('content-type', 'image/svg+xml')
        .header('cache-control', 'private, no-store')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .header('x-content-type-options', 'nosniff')
        .send(renderBadge({ ...badge, key }, style, width));
    },
  });
}

async function badgeOf(
  { db }: Services,
  subject: ProjectSubject,
  { kind, ref = '', job, ignore_skipped }: ParamsOf<typeof params>,
): Promise<Omit<Badge, 'key'>> {
  const { id } = subject.project;
  if (kind === 'release') {
    if (!subject.can('read_release')) throw new NotFound();
    return releaseBadge(await store.newestRelease(db.read, id));
  }
  if (!mayReadPipelines(subject)) throw new NotFound();
  if (kind === 'coverage') return coverageBadge(await store.newestCoverage(db.read, id, ref, job));
  return pipelineBadge((await store.newestPipeline(db.read, id, ref, ignore_skipped))?.status);
}
