import type { SignedInActor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { PageRequest } from '../../platform/http/pages/pagination.ts';
import type { SearchParams } from './schema.ts';

/** A search request in a project, a group with its subgroups, or the whole instance. */
export interface Search {
  readonly caller: SignedInActor;
  readonly place: ProjectOrGroup | null;
  readonly params: SearchParams;
  readonly page: PageRequest;
  readonly signal: AbortSignal;
}

/** A search request in one project. */
export interface ProjectSearch extends Search {
  readonly place: ProjectSubject;
}
