import type { Actor } from '../../../access/actor.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Gate } from '../../../platform/http/endpoint.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { withChallenge } from '../basic-challenge.ts';

/**
 * Gate for instance-level requests without a project ID: the user of the recipe is the project path, with `+` for each
 * slash.
 */
export function namedByRecipe(gate: Gate<Actor, ProjectSubject>): Gate<Actor, ProjectSubject> {
  return withChallenge({
    ...gate,
    enter(actor, params, request) {
      const [, , username = ''] = String(params['*']).split('/');
      // Without `+`, the user could be parsed as a project ID.
      if (!username.includes('+')) throw new NotFound('Project');
      return gate.enter(actor, { ...params, id: username.replaceAll('+', '/') }, request);
    },
  });
}
