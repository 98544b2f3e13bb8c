import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'lint';
/** Maximum size of a configuration, with room for its encoding in the request. */
const bodyLimit = 5 * 1024 * 1024;

/** Routes that validate a configuration without running it. */
export function lintRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/ci/lint',
      tag,
      summary: 'Validate the CI/CD configuration of a project',
      gate: gates.project('read_code'),
      params: schema.ofCommit,
      responses: { 200: schema.LintResult },
      handle: ({ caller, subject, params }) =>
        service.lintCommit(services, caller, subject, params.content_ref ?? params.sha, {
          ...params,
          ref: params.dry_run_ref ?? params.ref,
        }),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/ci/lint',
      tag,
      summary: 'Validate a CI/CD configuration in the context of a project',
      gate: gates.project('create_pipeline'),
      params: schema.ofContent,
      responses: { 200: schema.LintResult },
      bodyLimit,
      handle: ({ caller, subject, params }) => service.lintContent(services, caller, subject, params.content, params),
    }),
  ];
}
