import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { PipelineBasic, signedInReadingGate } from '../pipelines/public.ts';
import { playSchedule } from './run.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import * as variables from './variables.ts';

const tag = 'pipeline schedules';

export function scheduleRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...readingRoutes(services, gates),
    ...changingRoutes(services, gates),
    ...actingRoutes(services, gates),
    ...variableRoutes(services, gates),
  ];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = signedInReadingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipeline_schedules',
      tag,
      summary: 'List pipeline schedules',
      gate,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.Schedule) },
      handle: ({ caller, subject, params, page }) =>
        service.listSchedules(services, caller, subject, params.scope, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
      tag,
      summary: 'Get a pipeline schedule',
      gate,
      params: schema.oneSchedule,
      responses: { 200: schema.ScheduleDetails },
      handle: ({ caller, subject, params }) =>
        service.getSchedule(services, caller, subject, params.pipeline_schedule_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
      tag,
      summary: 'List pipelines started by a pipeline schedule',
      gate,
      params: schema.pipelines,
      paginated: true,
      responses: { 200: Type.Array(PipelineBasic) },
      handle: ({ subject, params, page }) => service.listSchedulePipelines(services, subject, params, page),
    }),
  ];
}

function changingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('create_pipeline');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/pipeline_schedules',
      tag,
      summary: 'Create a pipeline schedule',
      gate,
      params: schema.newSchedule,
      responses: { 201: schema.ScheduleDetails },
      handle: ({ caller, subject, params }) => service.createSchedule(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
      tag,
      summary: 'Update a pipeline schedule',
      gate,
      params: schema.scheduleChange,
      responses: { 200: schema.ScheduleDetails },
      handle: ({ caller, subject, params }) => service.updateSchedule(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
      tag,
      summary: 'Delete a pipeline schedule',
      gate,
      params: schema.oneSchedule,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.deleteSchedule(services, caller, subject, params.pipeline_schedule_id),
    }),
  ];
}

function actingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership',
      tag,
      summary: 'Take ownership of a pipeline schedule',
      gate: gates.project('admin_pipeline'),
      params: schema.oneSchedule,
      responses: { 201: schema.ScheduleDetails, 200: schema.ScheduleDetails },
      handle: async ({ caller, subject, params, reply }) => {
        const { taken, schedule } = await service.takeOwnership(services, caller, subject, params.pipeline_schedule_id);
        reply.code(taken ? 201 : 200);
        return schedule;
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/play',
      tag,
      summary: 'Run a pipeline schedule',
      gate: gates.project('create_pipeline'),
      params: schema.oneSchedule,
      responses: { 201: Type.Object({ message: Type.String() }) },
      handle: ({ caller, subject, params }) => playSchedule(services, caller, subject, params.pipeline_schedule_id),
    }),
  ];
}

function variableRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('create_pipeline');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
      tag,
      summary: 'Get a pipeline schedule variable',
      gate,
      params: schema.oneVariable,
      responses: { 200: schema.ScheduleVariable },
      handle: ({ caller, subject, params }) =>
        variables.getVariable(services, caller, subject, params.pipeline_schedule_id, params.key),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables',
      tag,
      summary: 'Create a pipeline schedule variable',
      gate,
      params: schema.newVariable,
      responses: { 201: schema.ScheduleVariable },
      handle: ({ caller, subject, params }) => variables.createVariable(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
      tag,
      summary: 'Update a pipeline schedule variable',
      gate,
      params: schema.variableChange,
      responses: { 200: schema.ScheduleVariable },
      handle: ({ caller, subject, params }) => variables.updateVariable(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
      tag,
      summary: 'Delete a pipeline schedule variable',
      gate,
      params: schema.oneVariable,
      responses: { 202: schema.ScheduleVariable },
      handle: ({ caller, subject, params }) =>
        variables.deleteVariable(services, caller, subject, params.pipeline_schedule_id, params.key),
    }),
  ];
}
