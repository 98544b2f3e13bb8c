import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneIssue } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'issues';

export function listRoute(services: Services, gates: Gates): Route {
  return route({
    method: 'GET',
    path: '/projects/:id/issues/:issue_iid/metric_images',
    tag,
    summary: 'List metric images of an incident',
    gate: gates.project('read_issue'),
    params: oneIssue,
    responses: { 200: Type.Array(schema.MetricImage) },
    handle: ({ caller, subject, params }) => service.listMetricImages(services, caller, subject, params.issue_iid),
  });
}

/** Routes for metric images, which are pictures of charts attached to incidents. */
export function metricImageRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  return [
    listRoute(services, gates),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/metric_images',
      tag,
      summary: 'Upload a metric image for an incident',
      gate,
      params: schema.newMetricImage,
      responses: { 201: schema.MetricImage },
      handle: ({ caller, subject, params }) => service.addMetricImage(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/metric_images/:metric_image_id',
      tag,
      summary: 'Update a metric image of an incident',
      gate,
      params: schema.metricImageChange,
      responses: { 200: schema.MetricImage },
      handle: ({ caller, subject, params }) => service.changeMetricImage(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid/metric_images/:metric_image_id',
      tag,
      summary: 'Delete a metric image of an incident',
      gate,
      params: schema.oneMetricImage,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.removeMetricImage(services, caller, subject, params.issue_iid, params.metric_image_id),
    }),
  ];
}
