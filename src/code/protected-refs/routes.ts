import Type, { type TSchema } from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { nullable } from '../../platform/http/schema.ts';
import * as branches from './branches.ts';
import * as rules from './push-rules.ts';
import * as schema from './schema.ts';
import * as tags from './tags.ts';

type PlaceGate = Gate<Actor, ProjectOrGroup>;

/** Protected branches and tags, and push rules. */
export function protectedRefRoutes({ db }: Services, gates: Gates): Route[] {
  return [
    ...branchRoutes(
      db,
      '/projects/:id/protected_branches',
      gates.project('read_code'),
      gates.project('admin_protected_ref', { signedIn: true }),
      schema.ProtectedBranch,
    ),
    ...branchRoutes(
      db,
      '/groups/:id/protected_branches',
      gates.group('admin_group', { signedIn: true }),
      gates.group('admin_group', { signedIn: true }),
      schema.GroupProtectedBranch,
    ),
    ...tagRoutes(db, gates),
    ...pushRuleRoutes(
      db,
      '/projects/:id/push_rule',
      gates.project('admin_push_rule', { signedIn: true }),
      schema.ProjectPushRule,
    ),
    ...pushRuleRoutes(
      db,
      '/groups/:id/push_rule',
      gates.group('admin_group', { signedIn: true }),
      schema.GroupPushRule,
    ),
  ];
}

function branchRoutes(db: Database, path: string, read: PlaceGate, admin: PlaceGate, answer: TSchema): Route[] {
  const tag = 'protected branches';
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List protected branches',
      gate: read,
      params: { ...schema.owner, search: schema.search },
      paginated: true,
      answers: { 200: Type.Array(answer) },
      handle: ({ subject, params, page }) => branches.listBranchRules(db, subject, params.search, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Protect branches',
      gate: admin,
      params: schema.branchCreation,
      answers: { 201: answer },
      handle: ({ subject, params }) => branches.protectBranch(db, subject, params),
    }),
    route({
      method: 'GET',
      path: `${path}/:name`,
      tag,
      summary: 'Get a protected branch',
      gate: read,
      params: schema.named,
      answers: { 200: answer },
      handle: ({ subject, params }) => branches.getBranchRule(db, subject, params.name),
    }),
    route({
      method: 'PATCH',
      path: `${path}/:name`,
      tag,
      summary: 'Update a protected branch',
      gate: admin,
      params: schema.branchChange,
      answers: { 200: answer },
      handle: ({ caller, subject, params }) => branches.updateBranchRule(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:name`,
      tag,
      summary: 'Unprotect branches',
      gate: admin,
      params: schema.named,
      answers: { 204: null },
      handle: ({ caller, subject, params }) => branches.unprotectBranch(db, caller, subject, params.name),
    }),
  ];
}

function tagRoutes(db: Database, gates: Gates): Route[] {
  const tag = 'protected tags';
  const path = '/projects/:id/protected_tags';
  const gate = gates.project('admin_protected_ref', { signedIn: true });
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List protected tags',
      gate,
      params: schema.owner,
      paginated: true,
      answers: { 200: Type.Array(schema.ProtectedTag) },
      handle: ({ subject, page }) => tags.listTagRules(db, subject, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Protect tags',
      gate,
      params: schema.tagCreation,
      answers: { 201: schema.ProtectedTag },
      handle: ({ subject, params }) => tags.protectTag(db, subject, params),
    }),
    route({
      method: 'GET',
      path: `${path}/:name`,
      tag,
      summary: 'Get a protected tag',
      gate,
      params: schema.named,
      answers: { 200: schema.ProtectedTag },
      handle: ({ subject, params }) => tags.getTagRule(db, subject, params.name),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:name`,
      tag,
      summary: 'Unprotect tags',
      gate,
      params: schema.named,
      answers: { 204: null },
      handle: ({ subject, params }) => tags.unprotectTag(db, subject, params.name),
    }),
  ];
}

function pushRuleRoutes(db: Database, path: string, gate: PlaceGate, answer: TSchema): Route[] {
  const tag = 'push rules';
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Get the push rule',
      gate,
      params: schema.owner,
      answers: { 200: nullable(answer) },
      handle: ({ subject }) => rules.getPushRule(db, subject),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add a push rule',
      gate,
      params: schema.pushRule,
      answers: { 201: answer },
      handle: ({ subject, params }) => rules.createPushRule(db, subject, params),
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Update the push rule',
      gate,
      params: schema.pushRule,
      answers: { 200: answer },
      handle: ({ subject, params }) => rules.updatePushRule(db, subject, params),
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Remove the push rule',
      gate,
      params: schema.owner,
      answers: { 204: null },
      handle: ({ subject }) => rules.deletePushRule(db, subject),
    }),
  ];
}
