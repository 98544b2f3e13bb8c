import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { applySuggestions } from './apply.ts';
import * as schema from './schema.ts';

const tag = 'suggestions';

/** Routes for applying suggestions. */
export function suggestionRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/suggestions/batch_apply',
      tag,
      summary: 'Apply multiple suggestions',
      gate: gates.signedIn,
      params: schema.applyMany,
      responses: { 200: Type.Array(schema.Suggestion) },
      handle: ({ caller, params: { ids, commit_message: message } }) =>
        applySuggestions(services, caller, ids, { message, many: true }),
    }),
    route({
      method: 'PUT',
      path: '/suggestions/:id/apply',
      tag,
      summary: 'Apply a suggestion',
      gate: gates.signedIn,
      params: schema.applyOne,
      responses: { 200: schema.Suggestion },
      handle: async ({ caller, params: { id, commit_message: message } }) => {
        const [applied] = await applySuggestions(services, caller, [id], { message, many: false });
        if (!applied) throw NotFound.record();
        return applied;
      },
    }),
  ];
}
