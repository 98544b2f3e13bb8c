import type { GraphQLSchema } from 'graphql';
import { joinParts, type Part } from './engine/part.ts';
import { metadata } from './instance/metadata.ts';
import { mergeRequests } from './merge-requests/merge-requests.ts';
import { notes } from './notes/notes.ts';
import { users } from './people/users.ts';
import { labels } from './planning/labels.ts';
import { milestones } from './planning/milestones.ts';
import { groups } from './projects/groups.ts';
import { projects } from './projects/projects.ts';
import { root } from './root.ts';

/** Every part of the schema. */
const parts: readonly Part[] = [root, metadata, users, projects, groups, labels, milestones, notes, mergeRequests];

let made: GraphQLSchema | undefined;

/** The schema: made when it is first asked for, since most servers' clients never do. It knows nothing of any server. */
export function schema(): GraphQLSchema {
  made ??= joinParts(parts);
  return made;
}
