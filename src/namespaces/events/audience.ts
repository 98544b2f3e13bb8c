import type { ProjectAbility } from '../../access/policy.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Audience } from './event.ts';

const abilities: Readonly<Record<Audience, ProjectAbility>> = {
  project: 'read_project',
  code: 'read_code',
  issues: 'read_issue',
  merge_requests: 'read_merge_request',
  snippets: 'read_snippet',
  wiki: 'read_wiki',
  confidential: 'read_confidential_issue',
  internal: 'read_confidential_issue',
};

/** Returns the event audiences that the viewer belongs to in a project. */
export function audiencesIn(subject: ProjectSubject): Audience[] {
  return allAudiences.filter((audience) => subject.can(abilities[audience]));
}

export const allAudiences = Object.keys(abilities) as readonly Audience[];
