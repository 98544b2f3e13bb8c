import type { Gates } from '../../../../access/gates.ts';
import { type Route, route } from '../../../../access/route.ts';
import type { Services } from '../../../../access/services.ts';
import type { ProjectSubject } from '../../../../access/subjects.ts';
import { groupPackageGate, type PackageGroup, packageGate } from '../../gate.ts';
import { distributionOperations } from './operations.ts';
import { ofGroup, ofProject } from './schema.ts';

/** `/projects/:id/debian_distributions` and `/groups/:id/-/debian_distributions`. */
export function distributionRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...groupRoutes(services, gates)];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const operations = distributionOperations(services, ({ project }: ProjectSubject) => ({ project_id: project.id }));
  const read = packageGate(services, gates, 'read_package');
  const create = packageGate(services, gates, 'create_package');
  return [
    route({
      ...operations.list,
      method: 'GET',
      path: '/projects/:id/debian_distributions',
      summary: 'List Debian distributions of a project',
      gate: read,
      params: ofProject.listing,
    }),
    route({
      ...operations.get,
      method: 'GET',
      path: '/projects/:id/debian_distributions/:codename',
      summary: 'Get a Debian distribution of a project',
      gate: read,
      params: ofProject.one,
    }),
    route({
      ...operations.getKey,
      method: 'GET',
      path: '/projects/:id/debian_distributions/:codename/key.asc',
      summary: 'Get the key that signs a Debian distribution of a project',
      gate: read,
      params: ofProject.one,
    }),
    route({
      ...operations.create,
      method: 'POST',
      path: '/projects/:id/debian_distributions',
      summary: 'Create a Debian distribution in a project',
      gate: create,
      params: ofProject.changed,
    }),
    route({
      ...operations.update,
      method: 'PUT',
      path: '/projects/:id/debian_distributions/:codename',
      summary: 'Update a Debian distribution of a project',
      gate: create,
      params: ofProject.changed,
    }),
    route({
      ...operations.remove,
      method: 'DELETE',
      path: '/projects/:id/debian_distributions/:codename',
      summary: 'Delete a Debian distribution of a project',
      gate: gates.project('destroy_package'),
      params: ofProject.one,
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const operations = distributionOperations(services, ({ namespaceId }: PackageGroup) => ({ group_id: namespaceId }));
  const read = groupPackageGate(services, gates, 'read_package');
  const create = groupPackageGate(services, gates, 'create_package');
  return [
    route({
      ...operations.list,
      method: 'GET',
      path: '/groups/:id/-/debian_distributions',
      summary: 'List Debian distributions of a group',
      gate: read,
      params: ofGroup.listing,
    }),
    route({
      ...operations.get,
      method: 'GET',
      path: '/groups/:id/-/debian_distributions/:codename',
      summary: 'Get a Debian distribution of a group',
      gate: read,
      params: ofGroup.one,
    }),
    route({
      ...operations.getKey,
      method: 'GET',
      path: '/groups/:id/-/debian_distributions/:codename/key.asc',
      summary: 'Get the key that signs a Debian distribution of a group',
      gate: read,
      params: ofGroup.one,
    }),
    route({
      ...operations.create,
      method: 'POST',
      path: '/groups/:id/-/debian_distributions',
      summary: 'Create a Debian distribution in a group',
      gate: create,
      params: ofGroup.changed,
    }),
    route({
      ...operations.update,
      method: 'PUT',
      path: '/groups/:id/-/debian_distributions/:codename',
      summary: 'Update a Debian distribution of a group',
      gate: create,
      params: ofGroup.changed,
    }),
    route({
      ...operations.remove,
      method: 'DELETE',
      path: '/groups/:id/-/debian_distributions/:codename',
      summary: 'Delete a Debian distribution of a group',
      gate: groupPackageGate(services, gates, 'destroy_package'),
      params: ofGroup.one,
    }),
  ];
}
