import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf, exactlyOneOf } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'labels';

export function labelRoutes(services: Services, gates: Gates): Route[] {
  return [...projectLabelRoutes(services, gates), ...groupLabelRoutes(services, gates)];
}

/** ID or title of the label in a request to one of the deprecated paths. */
function labelNamedBy({ label_id, name = '' }: { label_id?: number; name?: string }): string {
  return label_id === undefined ? name : String(label_id);
}

function projectLabelRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_label', { signedIn: true });
  const managing = gates.project('admin_label', { signedIn: true });
  const anyChange = atLeastOneOf(...Object.keys(schema.projectLabelChange));
  return [
    route({
      method: 'GET',
      path: '/projects/:id/labels',
      tag,
      summary: 'List project labels',
      gate: reading,
      params: schema.projectLabelList,
      paginated: true,
      responses: { 200: Type.Array(schema.ProjectLabel) },
      handle: ({ caller, subject, params, page }) => service.listLabels(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/labels',
      tag,
      summary: 'Create a project label',
      gate: managing,
      params: { ...schema.newLabel, ...schema.priority },
      responses: { 201: schema.ProjectLabel },
      handle: ({ caller, subject, params }) => service.createLabel(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/labels',
      tag,
      summary: 'Update a project label by title (deprecated)',
      gate: managing,
      params: { ...schema.numberedOrNamed, ...schema.projectLabelChange },
      rules: [exactlyOneOf('label_id', 'name'), anyChange],
      responses: { 200: schema.ProjectLabel },
      handle: ({ caller, subject, params }) =>
        service.updateLabel(services, caller, subject, labelNamedBy(params), params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/labels',
      tag,
      summary: 'Delete a project label by title (deprecated)',
      gate: managing,
      params: schema.numberedOrNamed,
      rules: [exactlyOneOf('label_id', 'name')],
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteLabel(services, caller, subject, labelNamedBy(params), request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/labels/:name',
      tag,
      summary: 'Get a project label',
      gate: reading,
      params: schema.oneLabel,
      responses: { 200: schema.ProjectLabel },
      handle: ({ caller, subject, params }) => service.getLabel(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/labels/:name',
      tag,
      summary: 'Update a project label',
      gate: managing,
      params: { ...schema.named, ...schema.projectLabelChange },
      rules: [anyChange],
      responses: { 200: schema.ProjectLabel },
      handle: ({ caller, subject, params }) => service.updateLabel(services, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/labels/:name',
      tag,
      summary: 'Delete a project label',
      gate: managing,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteLabel(services, caller, subject, params.name, request),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/labels/:name/subscribe',
      tag,
      summary: 'Subscribe to a project label',
      gate: reading,
      params: schema.named,
      responses: { 201: schema.ProjectLabel, 304: null },
      handle: ({ caller, subject, params }) => service.setSubscribed(services, caller, subject, params.name, true),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/labels/:name/unsubscribe',
      tag,
      summary: 'Unsubscribe from a project label',
      gate: reading,
      params: schema.named,
      responses: { 201: schema.ProjectLabel, 304: null },
      handle: ({ caller, subject, params }) => service.setSubscribed(services, caller, subject, params.name, false),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/labels/:name/promote',
      tag,
      summary: 'Promote a project label to a group label',
      gate: managing,
      params: schema.named,
      responses: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.promoteLabel(services, caller, subject, params.name),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/labels/promote',
      tag,
      summary: 'Promote a project label by title (deprecated)',
      gate: managing,
      params: schema.named,
      responses: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.promoteLabel(services, caller, subject, params.name),
    }),
  ];
}

function groupLabelRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_label', { signedIn: true });
  const managing = gates.group('admin_label', { signedIn: true });
  const anyChange = atLeastOneOf(...Object.keys(schema.groupLabelChange));
  return [
    route({
      method: 'GET',
      path: '/groups/:id/labels',
      tag,
      summary: 'List group labels',
      gate: reading,
      params: schema.groupLabelList,
      paginated: true,
      responses: { 200: Type.Array(schema.GroupLabel) },
      handle: ({ caller, subject, params, page }) => service.listLabels(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/labels',
      tag,
      summary: 'Create a group label',
      gate: managing,
      params: schema.newLabel,
      responses: { 201: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.createLabel(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/labels',
      tag,
      summary: 'Update a group label by title (deprecated)',
      gate: managing,
      params: { ...schema.numberedOrNamed, ...schema.groupLabelChange },
      rules: [exactlyOneOf('label_id', 'name'), anyChange],
      responses: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) =>
        service.updateLabel(services, caller, subject, labelNamedBy(params), params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/labels',
      tag,
      summary: 'Delete a group label by title (deprecated)',
      gate: managing,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteLabel(services, caller, subject, params.name, request),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/labels/:name',
      tag,
      summary: 'Get a group label',
      gate: reading,
      params: schema.oneLabel,
      responses: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.getLabel(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/labels/:name',
      tag,
      summary: 'Update a group label',
      gate: managing,
      params: { ...schema.named, ...schema.groupLabelChange },
      rules: [anyChange],
      responses: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.updateLabel(services, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/labels/:name',
      tag,
      summary: 'Delete a group label',
      gate: managing,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteLabel(services, caller, subject, params.name, request),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/labels/:name/subscribe',
      tag,
      summary: 'Subscribe to a group label',
      gate: reading,
      params: schema.named,
      responses: { 201: schema.GroupLabel, 304: null },
      handle: ({ caller, subject, params }) => service.setSubscribed(services, caller, subject, params.name, true),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/labels/:name/unsubscribe',
      tag,
      summary: 'Unsubscribe from a group label',
      gate: reading,
      params: schema.named,
      responses: { 201: schema.GroupLabel, 304: null },
      handle: ({ caller, subject, params }) => service.setSubscribed(services, caller, subject, params.name, false),
    }),
  ];
}
