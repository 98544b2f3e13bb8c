import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from '../schema.ts';
import { reviewDeployment } from './approvals.ts';
import * as service from './service.ts';

const tag = 'deployments';

export function deploymentRoutes(services: Services, gates: Gates): Route[] {
  return [...readingRoutes(services, gates), ...modifyingRoutes(services, gates)];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_environment', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/deployments',
      tag,
      summary: 'List deployments',
      gate,
      params: schema.deploymentListing,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.Deployment) },
      handle: ({ subject, params, page }) => service.listDeployments(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/deployments/:deployment_id',
      tag,
      summary: 'Get a deployment',
      gate,
      params: schema.oneDeployment,
      jobToken: true,
      responses: { 200: schema.DeploymentExtended },
      handle: ({ caller, subject, params }) => service.getDeployment(services, caller, subject, params.deployment_id),
    }),
  ];
}

function modifyingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('update_environment');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/deployments',
      tag,
      summary: 'Create a deployment',
      gate,
      params: schema.newDeployment,
      jobToken: true,
      responses: { 201: schema.DeploymentExtended },
      handle: ({ caller, subject, params }) => service.createDeployment(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/deployments/:deployment_id',
      tag,
      summary: 'Update a deployment',
      gate,
      params: schema.deploymentChange,
      jobToken: true,
      responses: { 200: schema.DeploymentExtended },
      handle: ({ caller, subject, params }) =>
        service.updateDeployment(services, caller, subject, params.deployment_id, params.status),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/deployments/:deployment_id',
      tag,
      summary: 'Delete a deployment',
      gate: gates.project('admin_pipeline'),
      params: schema.oneDeployment,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteDeployment(services, subject, params.deployment_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/deployments/:deployment_id/approval',
      tag,
      summary: 'Approve or reject a blocked deployment',
      gate: gates.project('read_environment', { signedIn: true }),
      params: schema.approval,
      responses: { 201: schema.DeploymentApproval },
      handle: ({ caller, subject, params }) => reviewDeployment(services, caller, subject, params),
    }),
  ];
}
