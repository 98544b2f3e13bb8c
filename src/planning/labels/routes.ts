import Type, { type TSchema } from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { atLeastOneOf, exactlyOneOf, type Param, param, required } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'labels';

/** What differs between the labels of projects and those of groups. */
interface Kind {
  readonly path: string;
  readonly read: Gate<Actor, ProjectOrGroup>;
  readonly admin: Gate<Actor, ProjectOrGroup>;
  readonly answer: TSchema;
  readonly list: typeof schema.projectList | typeof schema.groupList;
  readonly extra: { priority?: Param<number | null> };
  readonly deletion: { label_id?: Param<number>; name: Param<string> };
}

/** `/projects/:id/labels` and `/groups/:id/labels`. */
export function labelRoutes({ db }: Services, gates: Gates): Route[] {
  const byName = { label_id: param.integer(), name: param.string() };
  return [
    ...promotions(db, gates),
    ...labelsOf(db, {
      path: '/projects/:id/labels',
      read: gates.project('read_label', { signedIn: true }),
      admin: gates.project('admin_label', { signedIn: true }),
      answer: schema.ProjectLabel,
      list: schema.projectList,
      extra: schema.priority,
      deletion: byName,
    }),
    ...labelsOf(db, {
      path: '/groups/:id/labels',
      read: gates.group('read_label', { signedIn: true }),
      admin: gates.group('admin_label', { signedIn: true }),
      answer: schema.GroupLabel,
      list: schema.groupList,
      extra: {},
      deletion: { name: required(param.string()) },
    }),
  ];
}

/** The label that a call without a name in its path means. */
function named(params: { label_id?: number; name?: string }): string {
  return params.label_id === undefined ? (params.name ?? '') : String(params.label_id);
}

function labelsOf(db: Database, kind: Kind): Route[] {
  const { path, read, admin, answer } = kind;
  const change = { ...schema.change, ...kind.extra, ...schema.archived };
  const oneChange = atLeastOneOf(...Object.keys(change));
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List labels',
      gate: read,
      params: kind.list,
      paginated: true,
      steady: true,
      answers: { 200: Type.Array(answer) },
      handle: ({ caller, subject, params, page }) => service.listLabels(db, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a label',
      gate: admin,
      params: { ...schema.creation, ...kind.extra },
      answers: { 201: answer },
      handle: ({ caller, subject, params }) => service.createLabel(db, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Update a label that the body names (deprecated)',
      gate: admin,
      params: { ...schema.owner, label_id: param.integer(), name: param.string(), ...change },
      rules: [exactlyOneOf('label_id', 'name'), oneChange],
      answers: { 200: answer },
      handle: ({ caller, subject, params }) => service.updateLabel(db, caller, subject, named(params), params),
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Delete a label that the query names (deprecated)',
      gate: admin,
      params: { ...schema.owner, ...kind.deletion },
      rules: kind.deletion.label_id ? [exactlyOneOf('label_id', 'name')] : [],
      answers: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteLabel(db, caller, subject, named(params)),
    }),
    route({
      method: 'GET',
      path: `${path}/:name`,
      tag,
      summary: 'Get a label',
      gate: read,
      params: { ...schema.named, include_ancestor_groups: kind.list.include_ancestor_groups },
      steady: true,
      answers: { 200: answer },
      handle: async ({ caller, subject, params }) => {
        const label = await service.getLabel(db, caller, subject, params.name, params.include_ancestor_groups);
        return service.presentLabel(label, subject);
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:name`,
      tag,
      summary: 'Update a label',
      gate: admin,
      params: { ...schema.named, ...change },
      rules: [oneChange],
      answers: { 200: answer },
      handle: ({ caller, subject, params }) => service.updateLabel(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:name`,
      tag,
      summary: 'Delete a label',
      gate: admin,
      params: schema.named,
      answers: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteLabel(db, caller, subject, params.name),
    }),
    ...[true, false].map((wanted) =>
      route({
        method: 'POST',
        path: `${path}/:name/${wanted ? 'subscribe' : 'unsubscribe'}`,
        tag,
        summary: wanted ? 'Subscribe to a label' : 'Unsubscribe from a label',
        gate: read,
        params: schema.named,
        answers: { 201: answer, 304: null },
        handle: ({ caller, subject, params }) => service.subscribeToLabel(db, caller, subject, params.name, wanted),
      }),
    ),
  ];
}

function promotions(db: Database, gates: Gates): Route[] {
  // The path without a name is deprecated, and the name then comes in the body.
  return ['/projects/:id/labels/promote', '/projects/:id/labels/:name/promote'].map((path) =>
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Make a label of a project one of its group',
      gate: gates.project('admin_label', { signedIn: true }),
      params: schema.named,
      answers: { 200: schema.GroupLabel },
      handle: ({ caller, subject, params }) => service.promoteLabel(db, caller, subject, params.name),
    }),
  );
}
