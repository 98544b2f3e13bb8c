import type { Actor } from '../../../access/actor.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Gate } from '../../../platform/http/endpoint.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { withChallenge } from '../basic-challenge.ts';

/**
 * The gate of a project that the recipe itself names: where no project is in the address, the user of a recipe is the
 * path of one, with a plus for each slash.
 */
export function namedByRecipe(gate: Gate<Actor, ProjectSubject>): Gate<Actor, ProjectSubject> {
  return withChallenge({
    ...gate,
    enter(actor, params, request) {
      const [, , username = ''] = String(params['*']).split('/');
      // One without a plus would be the number of a project.
      if (!username.includes('+')) throw new NotFound('Project');
      return gate.enter(actor, { ...params, id: username.replaceAll('+', '/') }, request);
    },
  });
}
