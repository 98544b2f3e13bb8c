import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneRequest } from '../schema.ts';
import * as schema from './schema.ts';
import { addToTrain, getCar, listCars } from './service.ts';

const tag = 'merge_trains';

/** Routes for merge trains. */
export function trainRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_merge_request');
  const responses = { 200: Type.Array(schema.Car) };
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_trains',
      tag,
      summary: 'List merge trains of a project',
      gate,
      params: schema.trains,
      paginated: true,
      responses,
      handle: ({ subject, params, page }) => listCars(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_trains/:target_branch',
      tag,
      summary: 'List merge requests in a merge train',
      gate,
      params: schema.oneTrain,
      paginated: true,
      responses,
      handle: ({ subject, params, page }) => listCars(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_trains/merge_requests/:merge_request_iid',
      tag,
      summary: 'Get the status of a merge request in a merge train',
      gate,
      params: oneRequest,
      responses: { 200: schema.Car },
      handle: ({ subject, params }) => getCar(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_trains/merge_requests/:merge_request_iid',
      tag,
      summary: 'Add a merge request to a merge train',
      gate: gates.project('read_merge_request', { signedIn: true }),
      params: schema.boarding,
      responses: { 201: Type.Array(schema.Car), 202: Type.Array(schema.Car) },
      handle: async ({ caller, subject, params, reply }) => {
        const { cars, isOn } = await addToTrain(services, caller, subject, params);
        if (!isOn) reply.code(202);
        return cars;
      },
    }),
  ];
}
