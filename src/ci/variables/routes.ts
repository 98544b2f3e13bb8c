import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'CI/CD variables';

export function variableRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...projectVariableRoutes(services, gates),
    ...groupVariableRoutes(services, gates),
    ...instanceVariableRoutes(services, gates),
  ];
}

function projectVariableRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_variable', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/variables',
      tag,
      summary: 'List the variables of a project',
      gate,
      params: schema.owner,
      paginated: true,
      responses: { 200: Type.Array(schema.Variable) },
      handle: ({ subject, page }) => service.listVariables(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/variables',
      tag,
      summary: 'Create a variable of a project',
      gate,
      params: schema.newVariable,
      responses: { 201: schema.Variable },
      handle: ({ subject, params }) => service.createVariable(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/variables/:key',
      tag,
      summary: 'Get a variable of a project',
      gate,
      params: schema.oneVariable,
      responses: { 200: schema.Variable },
      handle: ({ subject, params }) => service.getVariable(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/variables/:key',
      tag,
      summary: 'Update a variable of a project',
      gate,
      params: schema.variableChange,
      responses: { 200: schema.Variable },
      handle: ({ subject, params }) => service.updateVariable(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/variables/:key',
      tag,
      summary: 'Delete a variable of a project',
      gate,
      params: schema.oneVariable,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteVariable(services, subject, params, request),
    }),
  ];
}

function groupVariableRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_variable', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/variables',
      tag,
      summary: 'List the variables of a group',
      gate,
      params: schema.owner,
      paginated: true,
      responses: { 200: Type.Array(schema.Variable) },
      handle: ({ subject, page }) => service.listVariables(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/variables',
      tag,
      summary: 'Create a variable of a group',
      gate,
      params: schema.newVariable,
      responses: { 201: schema.Variable },
      handle: ({ subject, params }) => service.createVariable(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/variables/:key',
      tag,
      summary: 'Get a variable of a group',
      gate,
      params: schema.oneVariable,
      responses: { 200: schema.Variable },
      handle: ({ subject, params }) => service.getVariable(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/variables/:key',
      tag,
      summary: 'Update a variable of a group',
      gate,
      params: schema.variableChange,
      responses: { 200: schema.Variable },
      handle: ({ subject, params }) => service.updateVariable(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/variables/:key',
      tag,
      summary: 'Delete a variable of a group',
      gate,
      params: schema.oneVariable,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteVariable(services, subject, params, request),
    }),
  ];
}

function instanceVariableRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.admin;
  return [
    route({
      method: 'GET',
      path: '/admin/ci/variables',
      tag,
      summary: 'List the variables of the instance',
      gate,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.InstanceVariable) },
      handle: ({ page }) => service.listVariables(services, 'instance', page),
    }),
    route({
      method: 'POST',
      path: '/admin/ci/variables',
      tag,
      summary: 'Create a variable of the instance',
      gate,
      params: schema.newInstanceVariable,
      responses: { 201: schema.InstanceVariable },
      handle: ({ params }) => service.createVariable(services, 'instance', params),
    }),
    route({
      method: 'GET',
      path: '/admin/ci/variables/:key',
      tag,
      summary: 'Get a variable of the instance',
      gate,
      params: schema.oneInstanceVariable,
      responses: { 200: schema.InstanceVariable },
      handle: ({ params }) => service.getVariable(services, 'instance', params),
    }),
    route({
      method: 'PUT',
      path: '/admin/ci/variables/:key',
      tag,
      summary: 'Update a variable of the instance',
      gate,
      params: schema.instanceVariableChange,
      responses: { 200: schema.InstanceVariable },
      handle: ({ params }) => service.updateVariable(services, 'instance', params),
    }),
    route({
      method: 'DELETE',
      path: '/admin/ci/variables/:key',
      tag,
      summary: 'Delete a variable of the instance',
      gate,
      params: schema.oneInstanceVariable,
      responses: { 204: null },
      handle: ({ params, request }) => service.deleteVariable(services, 'instance', params, request),
    }),
  ];
}
