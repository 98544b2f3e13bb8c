import type { Actor } from '../../access/actor.ts';
import type { ProjectAbility } from '../../access/policy.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';

/**
 * Guards an address outside of the API, such as `/group/project/-/raw/main/file`: as the API would, but a former path
 * of the project leads on to the same address under its present one.
 */
export function pageGate({ db, externalUrl }: Services, ability: ProjectAbility): Gate<Actor, ProjectSubject> {
  return {
    asks: { subject: 'project', ability },
    async enter(actor, params, { originalUrl }) {
      const subject = await readableProject(db, actor, params.id as string);
      if (subject.fullPath !== params.id) {
        const location = `${externalUrl}/${subject.fullPath}${originalUrl.slice(originalUrl.indexOf('/-/'))}`;
        throw new HttpError(301, '', { location });
      }
      if (!subject.can(ability)) throw new Forbidden();
      return subject;
    },
  };
}
