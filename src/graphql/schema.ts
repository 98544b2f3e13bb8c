import type { GraphQLSchema } from 'graphql';
import { dependencyProxy } from './ci/dependency-proxy.ts';
import { pipelines } from './ci/pipelines.ts';
import { terraformStates } from './ci/terraform-states.ts';
import { joinParts, type Part } from './engine/part.ts';
import { metadata } from './instance/metadata.ts';
import { mergeRequestChanges } from './merge-requests/changes.ts';
import { commits } from './merge-requests/commits.ts';
import { mergeRequests } from './merge-requests/merge-requests.ts';
import { merging } from './merge-requests/merging.ts';
import { mergeRequestMutations } from './merge-requests/mutations.ts';
import { reviewers } from './merge-requests/reviewers.ts';
import { noteAwards } from './notes/awards.ts';
import { noteMutations } from './notes/mutations.ts';
import { notes } from './notes/notes.ts';
import { memberRoles } from './people/member-roles.ts';
import { members } from './people/members.ts';
import { users } from './people/users.ts';
import { issueMutations } from './planning/issue-mutations.ts';
import { issues } from './planning/issues.ts';
import { labels } from './planning/labels.ts';
import { milestones } from './planning/milestones.ts';
import { todos } from './planning/todos.ts';
import { workItemMutations } from './planning/work-item-mutations.ts';
import { workItemWidgets } from './planning/work-item-widgets.ts';
import { workItems } from './planning/work-items.ts';
import { groups } from './projects/groups.ts';
import { ownNamespaces } from './projects/namespaces.ts';
import { projects } from './projects/projects.ts';
import { repositoryMutations } from './repository/mutations.ts';
import { root } from './root.ts';
import { snippetMutations } from './snippets/mutations.ts';
import { snippets } from './snippets/snippets.ts';

/** All parts of the schema. */
const parts: readonly Part[] = [
  root,
  metadata,
  users,
  members,
  memberRoles,
  projects,
  groups,
  ownNamespaces,
  labels,
  milestones,
  notes,
  noteMutations,
  noteAwards,
  mergeRequests,
  mergeRequestMutations,
  mergeRequestChanges,
  commits,
  repositoryMutations,
  merging,
  reviewers,
  issues,
  issueMutations,
  todos,
  workItems,
  workItemWidgets,
  workItemMutations,
  snippets,
  snippetMutations,
  pipelines,
  terraformStates,
  dependencyProxy,
];

let joined: GraphQLSchema | undefined;

/** The schema, created on first use and shared by all servers of the process. */
export function schema(): GraphQLSchema {
  joined ??= joinParts(parts);
  return joined;
}
