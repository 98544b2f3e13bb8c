import type { SignedInActor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { PageRequest } from '../../platform/http/pages/pagination.ts';
import type { SearchParams } from './schema.ts';

/** What somebody looks for, and where: in a project, in a group with all that is in it, or everywhere. */
export interface Search {
  readonly caller: SignedInActor;
  readonly place: ProjectOrGroup | null;
  readonly params: SearchParams;
  readonly page: PageRequest;
  readonly signal: AbortSignal;
}

/** The same, in one project. */
export interface ProjectSearch extends Search {
  readonly place: ProjectSubject;
}
