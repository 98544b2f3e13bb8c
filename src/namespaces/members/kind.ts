import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Gate } from '../../platform/http/endpoint.ts';

/** What differs between the members of projects and those of groups. */
export interface Kind {
  readonly path: string;
  readonly read: Gate<Actor, ProjectOrGroup>;
  readonly admin: Gate<Actor, ProjectOrGroup>;
}
