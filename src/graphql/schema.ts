import type { GraphQLSchema } from 'graphql';
import { pipelines } from './ci/pipelines.ts';
import { joinParts, type Part } from './engine/part.ts';
import { metadata } from './instance/metadata.ts';
import { mergeRequests } from './merge-requests/merge-requests.ts';
import { mergeRequestMutations } from './merge-requests/mutations.ts';
import { noteMutations } from './notes/mutations.ts';
import { notes } from './notes/notes.ts';
import { users } from './people/users.ts';
import { issues } from './planning/issues.ts';
import { labels } from './planning/labels.ts';
import { milestones } from './planning/milestones.ts';
import { groups } from './projects/groups.ts';
import { projects } from './projects/projects.ts';
import { root } from './root.ts';
import { snippets } from './snippets/snippets.ts';

/** Every part of the schema. */
const parts: readonly Part[] = [
  root,
  metadata,
  users,
  projects,
  groups,
  labels,
  milestones,
  notes,
  noteMutations,
  mergeRequests,
  mergeRequestMutations,
  issues,
  snippets,
  pipelines,
];

let made: GraphQLSchema | undefined;

/** The schema: made when it is first asked for, since most servers' clients never do. It knows nothing of any server. */
export function schema(): GraphQLSchema {
  made ??= joinParts(parts);
  return made;
}
