import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { notBlank, param, required } from '../../platform/http/params.ts';
import { ImportStatus } from '../project-imports/public.ts';
import { retryByUrl } from './service.ts';

const retry = {
  ...projectParam,
  import_url: notBlank(required(param.string({ description: 'Repository URL with credentials' }))),
};

export function gitUrlRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/import/retry',
      tag: 'imports',
      summary: 'Retry the import of an empty project from a URL',
      gate: gates.project('admin_project', { signedIn: true }),
      params: retry,
      responses: { 201: ImportStatus },
      handle: ({ caller, subject, params }) => retryByUrl(services, caller, subject.project, params.import_url),
    }),
  ];
}
