import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Markdown, markdownParams } from './schema.ts';
import { renderMarkdownParams } from './service.ts';

export function markdownRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/markdown',
      tag: 'markdown',
      summary: 'Render Markdown',
      gate: gates.signedIn,
      scopes: ['read_api'],
      params: markdownParams,
      responses: { 201: Markdown },
      handle: ({ caller, params }) => renderMarkdownParams(services, caller, params),
    }),
  ];
}
