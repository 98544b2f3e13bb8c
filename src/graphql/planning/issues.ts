import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf } from '../api-paths.ts';
import { connectionTypes, embeddedConnection, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { onlyOne } from '../engine/errors.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { noteableFields } from '../notes/notes.ts';
import { noteablePermissions } from '../notes/permissions.ts';
import { orderOf } from '../projects/projects.ts';
import { renderedField } from '../rendered-fields.ts';
import { labelsOf } from './labels.ts';

const orders = {
  created_asc: ['created_at', 'asc'],
  created_desc: ['created_at', 'desc'],
  updated_asc: ['updated_at', 'asc'],
  updated_desc: ['updated_at', 'desc'],
  due_date_asc: ['due_date', 'asc'],
  due_date_desc: ['due_date', 'desc'],
  title_asc: ['title', 'asc'],
  title_desc: ['title', 'desc'],
  priority_asc: ['priority', 'asc'],
  priority_desc: ['priority', 'desc'],
  relative_position_asc: ['relative_position', 'asc'],
} as const;
export const sorts = Object.keys(orders).flatMap((name) => [name, name.toUpperCase()]);

/** The filters of lists of issues, whatever their order is called. */
export const filtersSortedBy = (sort: string) => `
  assigneeUsernames: [String!]
  authorUsername: String
  confidential: Boolean
  createdAfter: Time
  createdBefore: Time
  iid: String
  iids: [String!]
  labelName: [String]
  milestoneTitle: [String]
  search: String
  sort: ${sort} = created_desc
  state: IssuableState
  types: [IssueType!]
  updatedAfter: Time
  updatedBefore: Time
  ${pageArguments}
`;

const filters = filtersSortedBy('IssueSort');

/** Converts list arguments to query parameters of the REST API. */
export function filtersOf(args: Entity) {
  return {
    scope: 'all',
    assignee_username: args.assigneeUsernames,
    author_username: args.authorUsername,
    confidential: args.confidential,
    created_after: args.createdAfter,
    created_before: args.createdBefore,
    iids: args.iids ?? (args.iid == null ? undefined : [args.iid]),
    issue_type: onlyOne('types', args.types)?.toLowerCase(),
    labels: args.labelName?.join(','),
    milestone: onlyOne('milestoneTitle', args.milestoneTitle),
    search: args.search,
    state: args.state,
    updated_after: args.updatedAfter,
    updated_before: args.updatedBefore,
    with_labels_details: true,
    ...orderOf(orders, args.sort),
  };
}

const can = async (context: ResolverContext, { project_id }: Entity) =>
  (await context.project(project_id))?.can('admin_issue') ?? false;

export const issues: Part = {
  types: `
    extend type Query { issue(id: IssueID!): Issue }
    extend type Project {
      issue(iid: String, iids: [String!]): Issue
      issues(${filters}): IssueConnection
    }
    extend type Group { issues(includeSubgroups: Boolean = false, ${filters}): IssueConnection }
    enum IssuableState { all closed opened locked }
    enum IssueState { all closed opened locked }
    enum IssueType { EPIC INCIDENT ISSUE KEY_RESULT OBJECTIVE REQUIREMENT TASK TEST_CASE TICKET }
    enum IssueSort { ${sorts.join(' ')} }
    type Issue implements NoteableInterface {
      assignees(${pageArguments}): UserCoreConnection
      author: UserCore!
      closedAt: Time
      confidential: Boolean!
      createdAt: Time!
      description: String
      descriptionHtml: String
      discussionLocked: Boolean!
      discussions(${pageArguments}): DiscussionConnection!
      downvotes: Int!
      dueDate: String
      id: ID!
      iid: ID!
      labels(${pageArguments}): LabelConnection
      mergeRequestsCount: Int!
      milestone: Milestone
      notes(filter: NotesFilterType = ALL_NOTES, ${pageArguments}): NoteConnection!
      projectId: Int!
      reference(full: Boolean = false): String!
      state: IssueState!
      title: String!
      titleHtml: String
      type: IssueType
      updatedAt: Time!
      upvotes: Int!
      userNotesCount: Int!
      userPermissions: IssuePermissions!
      webPath: String!
      webUrl: String!
      weight: Int
    }
    "Permissions of the caller on an issue."
    type IssuePermissions { adminIssue: Boolean! createNote: Boolean! readIssue: Boolean! updateIssue: Boolean! }
    ${connectionTypes('Issue', 'count: Int!')}
  `,
  fields: {
    Query: {
      issue: async (_source, { id }, context) => {
        const place = await apiPathOf(context.services.db.read, id);
        return place ? context.read(place.path) : null;
      },
    },
    Project: {
      issue: ({ id }, { iid, iids }, context) => {
        const number = iid ?? iids?.[0] ?? '';
        return /^\d{1,15}$/.test(number) ? context.read(`/projects/${id}/issues/${number}`) : null;
      },
      issues: ({ id }, args, context) =>
        restConnection(context, `/projects/${id}/issues`, args, { query: filtersOf(args) }),
    },
    Group: {
      issues: ({ id }, args, context) =>
        restConnection(context, `/groups/${id}/issues`, args, { query: filtersOf(args) }),
    },
    Issue: {
      ...noteableFields('Issue'),
      id: ({ id }) => globalId('Issue', id),
      assignees: embeddedConnection(({ assignees }) => assignees),
      descriptionHtml: renderedField('description'),
      discussionLocked: ({ discussion_locked }) => discussion_locked ?? false,
      labels: async (issue, page, context) => listOf(await labelsOf(context, issue, 'issues'), page),
      reference: ({ references }, { full }) => (full ? references.full : references.short),
      titleHtml: renderedField('title'),
      type: ({ type, issue_type }) => type ?? issue_type?.toUpperCase() ?? null,
      userPermissions: (issue) => issue,
      webPath: ({ web_url }) => new URL(web_url).pathname,
    },
    IssuePermissions: {
      adminIssue: (issue, _args, context) => can(context, issue),
      createNote: async (issue, _args, context) =>
        (await noteablePermissions(context, { kind: 'Issue', entity: issue })).comment,
      readIssue: () => true,
      updateIssue: async (issue, _args, context) => {
        const own = [issue.author, ...issue.assignees].some(({ id }: Entity) => id === context.caller.user?.id);
        return own || can(context, issue);
      },
    },
  },
};
