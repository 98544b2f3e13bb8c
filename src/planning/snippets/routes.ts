import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { UserAgentDetail } from '../user-agents/public.ts';
import { listOfProject, listSnippets } from './browse.ts';
import { openFirstFile, openSnippetFile, type SnippetFile } from './raw.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'snippets';

interface RawCall {
  readonly request: FastifyRequest;
  readonly signal: AbortSignal;
}

const readingOf = ({ request, signal }: RawCall) => ({ signal, head: request.method === 'HEAD' });

const send = (reply: FastifyReply, file: SnippetFile) => sendRaw(reply, file.content, file);

export function snippetRoutes(services: Services, gates: Gates): Route[] {
  return [...personalRoutes(services, gates), ...projectRoutes(services, gates)];
}

function personalRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/snippets',
      tag,
      summary: "List the caller's snippets",
      gate: gates.signedIn,
      params: schema.listed,
      paginated: true,
      responses: { 200: Type.Array(schema.Snippet) },
      handle: ({ caller, params, page }) => listSnippets(services, caller, 'own', params, page),
    }),
    route({
      method: 'GET',
      path: '/snippets/public',
      tag,
      summary: 'List all public snippets',
      gate: gates.signedIn,
      params: schema.listed,
      paginated: true,
      responses: { 200: Type.Array(schema.Snippet) },
      handle: ({ caller, params, page }) => listSnippets(services, caller, 'public', params, page),
    }),
    route({
      method: 'GET',
      path: '/snippets/all',
      tag,
      summary: 'List all snippets visible to the caller',
      gate: gates.signedIn,
      params: schema.listed,
      paginated: true,
      responses: { 200: Type.Array(schema.Snippet) },
      handle: ({ caller, params, page }) => listSnippets(services, caller, 'all', params, page),
    }),
    route({
      method: 'POST',
      path: '/snippets',
      tag,
      summary: 'Create a personal snippet',
      gate: gates.signedIn,
      params: schema.newPersonal,
      rules: schema.newRules,
      responses: { 201: schema.Snippet },
      handle: ({ caller, params }) => service.createSnippet(services, caller, null, params),
    }),
    route({
      method: 'GET',
      path: '/snippets/:id',
      tag,
      summary: 'Get a snippet',
      gate: gates.anyone,
      params: schema.onePersonal,
      responses: { 200: schema.Snippet },
      handle: ({ caller, params }) => service.getSnippet(services, caller, params.id),
    }),
    route({
      method: 'PUT',
      path: '/snippets/:id',
      tag,
      summary: 'Update a personal snippet',
      gate: gates.signedIn,
      params: schema.personalChange,
      rules: schema.changeRules,
      responses: { 200: schema.Snippet },
      handle: ({ caller, params }) => service.updateSnippet(services, caller, params.id, params),
    }),
    route({
      method: 'DELETE',
      path: '/snippets/:id',
      tag,
      summary: 'Delete a personal snippet',
      gate: gates.signedIn,
      params: schema.onePersonal,
      responses: { 204: null },
      handle: ({ caller, params, request }) => service.deleteSnippet(services, caller, params.id, request),
    }),
    route({
      method: 'GET',
      path: '/snippets/:id/raw',
      tag,
      summary: 'Get the raw content of a snippet',
      gate: gates.anyone,
      params: schema.onePersonal,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const snippet = await service.readableSnippet(services, call.caller, call.params.id);
        return send(call.reply, await openFirstFile(services, snippet, readingOf(call)));
      },
    }),
    route({
      method: 'GET',
      path: '/snippets/:id/files/:ref/:file_path/raw',
      tag,
      summary: 'Get the raw content of a snippet file',
      gate: gates.anyone,
      params: schema.personalFile,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const snippet = await service.readableSnippet(services, call.caller, call.params.id);
        return send(call.reply, await openSnippetFile(services, snippet, call.params, readingOf(call)));
      },
    }),
    route({
      method: 'GET',
      path: '/snippets/:id/user_agent_detail',
      tag,
      summary: 'Get user agent details of a snippet',
      gate: gates.admin,
      params: schema.onePersonal,
      responses: { 200: UserAgentDetail },
      handle: ({ caller, params }) => service.userAgentOf(services, caller, params.id),
    }),
  ];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_snippet');
  const signedIn = gates.project('read_snippet', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/snippets',
      tag,
      summary: 'List project snippets',
      gate: signedIn,
      params: schema.ofProject,
      paginated: true,
      responses: { 200: Type.Array(schema.Snippet) },
      handle: ({ caller, subject, page }) => listOfProject(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets',
      tag,
      summary: 'Create a project snippet',
      gate: gates.project('create_snippet'),
      params: schema.newInProject,
      rules: schema.newRules,
      responses: { 201: schema.Snippet },
      handle: ({ caller, subject, params }) => service.createSnippet(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id',
      tag,
      summary: 'Get a project snippet',
      gate: reading,
      params: schema.oneOfProject,
      responses: { 200: schema.Snippet },
      handle: ({ caller, subject, params }) => service.getInProject(services, caller, subject, params.snippet_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/snippets/:snippet_id',
      tag,
      summary: 'Update a project snippet',
      gate: signedIn,
      params: schema.projectChange,
      rules: schema.changeRules,
      responses: { 200: schema.Snippet },
      handle: ({ caller, subject, params }) =>
        service.updateInProject(services, caller, subject, params.snippet_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id',
      tag,
      summary: 'Delete a project snippet',
      gate: signedIn,
      params: schema.oneOfProject,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteInProject(services, caller, subject, params.snippet_id, request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/raw',
      tag,
      summary: 'Get the raw content of a project snippet',
      gate: reading,
      params: schema.oneOfProject,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const snippet = await service.readableInProject(services, call.caller, call.subject, call.params.snippet_id);
        return send(call.reply, await openFirstFile(services, snippet, readingOf(call)));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw',
      tag,
      summary: 'Get the raw content of a project snippet file',
      gate: reading,
      params: schema.projectFile,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const snippet = await service.readableInProject(services, call.caller, call.subject, call.params.snippet_id);
        return send(call.reply, await openSnippetFile(services, snippet, call.params, readingOf(call)));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/user_agent_detail',
      tag,
      summary: 'Get user agent details of a project snippet',
      gate: gates.admin,
      params: schema.oneOfProject,
      responses: { 200: UserAgentDetail },
      handle: ({ caller, params }) => service.userAgentInProject(services, caller, params.id, params.snippet_id),
    }),
  ];
}
