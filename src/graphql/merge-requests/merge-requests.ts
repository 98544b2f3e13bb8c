import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf } from '../api-paths.ts';
import { connectionTypes, embeddedConnection, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { onlyOne } from '../engine/errors.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { noteableFields } from '../notes/notes.ts';
import { noteablePermissions } from '../notes/permissions.ts';
import { labelsOf } from '../planning/labels.ts';
import { orderOf, projectById } from '../projects/projects.ts';
import { renderedField } from '../rendered-fields.ts';

export const mergeRequestApiPath = ({ project_id, iid }: Entity) => `/projects/${project_id}/merge_requests/${iid}`;

/** The complete merge request, which is read if it comes from a list without all attributes. */
const detail = async (request: Entity, context: ResolverContext): Promise<Entity | null> =>
  'diff_refs' in request ? request : context.read(mergeRequestApiPath(request));

const detailed =
  (name: string): Resolve =>
  async (request, _args, context) =>
    (await detail(request, context))?.[name] ?? null;

const orders = {
  created_asc: ['created_at', 'asc'],
  created_desc: ['created_at', 'desc'],
  updated_asc: ['updated_at', 'asc'],
  updated_desc: ['updated_at', 'desc'],
  merged_at_asc: ['merged_at', 'asc'],
  merged_at_desc: ['merged_at', 'desc'],
  title_asc: ['title', 'asc'],
  title_desc: ['title', 'desc'],
  priority_asc: ['priority', 'asc'],
  priority_desc: ['priority', 'desc'],
} as const;
const sorts = Object.keys(orders).flatMap((name) => [name, name.toUpperCase()]);

const filters = `
  assigneeUsername: String
  authorUsername: String
  createdAfter: Time
  createdBefore: Time
  draft: Boolean
  iids: [String!]
  in: [IssuableSearchableField!]
  labels: [String]
  labelName: [String]
  milestoneTitle: String
  reviewerUsername: String
  search: String
  sort: MergeRequestSort = created_desc
  sourceBranches: [String!]
  state: MergeRequestState
  targetBranches: [String!]
  updatedAfter: Time
  updatedBefore: Time
  ${pageArguments}
`;

/** Converts list arguments to query parameters of the REST API. */
function filtersOf(args: Entity) {
  const labels = args.labels ?? args.labelName;
  return {
    scope: 'all',
    assignee_username: args.assigneeUsername,
    author_username: args.authorUsername,
    created_after: args.createdAfter,
    created_before: args.createdBefore,
    wip: args.draft == null ? undefined : args.draft ? 'yes' : 'no',
    iids: args.iids,
    in: args.in?.join(',').toLowerCase(),
    labels: labels?.join(','),
    milestone: args.milestoneTitle,
    reviewer_username: args.reviewerUsername,
    search: args.search,
    source_branch: onlyOne('sourceBranches', args.sourceBranches),
    state: args.state,
    target_branch: onlyOne('targetBranches', args.targetBranches),
    updated_after: args.updatedAfter,
    updated_before: args.updatedBefore,
    with_labels_details: true,
    ...orderOf(orders, args.sort),
  };
}

export const mergeRequests: Part = {
  types: `
    extend type Query { mergeRequest(id: MergeRequestID!): MergeRequest }
    extend type Project {
      mergeRequest(iid: String!): MergeRequest
      mergeRequests(${filters}): MergeRequestConnection
    }
    extend type Group { mergeRequests(includeSubgroups: Boolean = false, ${filters}): MergeRequestConnection }
    extend type CurrentUser {
      assignedMergeRequests(${filters}): MergeRequestConnection
      authoredMergeRequests(${filters}): MergeRequestConnection
      reviewRequestedMergeRequests(${filters}): MergeRequestConnection
    }
    enum MergeRequestState { all closed locked merged opened }
    enum MergeRequestSort { ${sorts.join(' ')} }
    enum IssuableSearchableField { DESCRIPTION TITLE }
    "A merge request."
    type MergeRequest implements NoteableInterface {
      allowCollaboration: Boolean
      approved: Boolean!
      approvedBy(${pageArguments}): UserCoreConnection
      assignees(${pageArguments}): UserCoreConnection
      author: UserCore
      closedAt: Time
      conflicts: Boolean!
      createdAt: Time!
      description: String
      descriptionHtml: String
      detailedMergeStatus: String
      diffHeadSha: String
      diffRefs: DiffRefs
      discussionLocked: Boolean!
      discussions(${pageArguments}): DiscussionConnection!
      divergedFromTargetBranch: Boolean!
      downvotes: Int!
      draft: Boolean!
      forceRemoveSourceBranch: Boolean
      id: ID!
      iid: String!
      labels(${pageArguments}): LabelConnection
      mergeCommitSha: String
      mergeError: String
      mergeStatusEnum: MergeStatus
      mergeUser: UserCore
      mergeWhenPipelineSucceeds: Boolean
      mergeable: Boolean!
      mergedAt: Time
      milestone: Milestone
      name: String
      notes(filter: NotesFilterType = ALL_NOTES, ${pageArguments}): NoteConnection!
      participants(${pageArguments}): UserCoreConnection
      preparedAt: Time
      project: Project!
      projectId: Int!
      rebaseInProgress: Boolean!
      reference(full: Boolean = false): String!
      reviewers(${pageArguments}): MergeRequestReviewerConnection
      shouldBeRebased: Boolean!
      shouldRemoveSourceBranch: Boolean
      sourceBranch: String!
      sourceProject: Project
      sourceProjectId: Int
      squash: Boolean!
      squashOnMerge: Boolean!
      state: MergeRequestState!
      subscribed: Boolean!
      targetBranch: String!
      targetProject: Project!
      targetProjectId: Int!
      title: String!
      titleHtml: String
      updatedAt: Time!
      upvotes: Int!
      userDiscussionsCount: Int
      userNotesCount: Int
      userPermissions: MergeRequestPermissions!
      webPath: String!
      webUrl: String
    }
    enum MergeStatus { CANNOT_BE_MERGED CANNOT_BE_MERGED_RECHECK CAN_BE_MERGED CHECKING PREPARING UNCHECKED }
    type DiffRefs { baseSha: String headSha: String! startSha: String! }
    "Permissions of the caller on a merge request."
    type MergeRequestPermissions {
      adminMergeRequest: Boolean!
      canApprove: Boolean!
      canMerge: Boolean!
      createNote: Boolean!
      pushToSourceBranch: Boolean!
      readMergeRequest: Boolean!
      updateMergeRequest: Boolean!
    }
    ${connectionTypes('MergeRequest', 'count: Int!')}
  `,
  fields: {
    Query: { mergeRequest: (_source, { id }, context) => requestById(context, id) },
    Project: {
      mergeRequest: ({ id }, { iid }, context) =>
        /^\d{1,15}$/.test(iid) ? context.read(`/projects/${id}/merge_requests/${iid}`) : null,
      mergeRequests: ({ id }, args, context) =>
        restConnection(context, `/projects/${id}/merge_requests`, args, { query: filtersOf(args) }),
    },
    Group: {
      mergeRequests: ({ id }, args, context) =>
        restConnection(context, `/groups/${id}/merge_requests`, args, { query: filtersOf(args) }),
    },
    CurrentUser: {
      assignedMergeRequests: ({ id }, args, context) => own(context, args, { assignee_id: id }),
      authoredMergeRequests: ({ id }, args, context) => own(context, args, { author_id: id }),
      reviewRequestedMergeRequests: ({ id }, args, context) => own(context, args, { reviewer_id: id }),
    },
    MergeRequest: {
      ...noteableFields('MergeRequest'),
      id: ({ id }) => globalId('MergeRequest', id),
      iid: ({ iid }) => String(iid),
      approved: async (request, _args, context) => (await approvalsOf(request, context))?.approved ?? false,
      approvedBy: async (request, page, context) => {
        const approvals = await approvalsOf(request, context);
        return listOf(
          (approvals?.approved_by ?? []).map(({ user }: Entity) => user),
          page,
        );
      },
      assignees: embeddedConnection(({ assignees }) => assignees),
      conflicts: ({ has_conflicts }) => has_conflicts,
      descriptionHtml: renderedField('description'),
      titleHtml: renderedField('title'),
      detailedMergeStatus: ({ detailed_merge_status }) => detailed_merge_status?.toUpperCase() ?? null,
      diffHeadSha: ({ sha }) => sha,
      diffRefs: detailed('diff_refs'),
      discussionLocked: ({ discussion_locked }) => discussion_locked ?? false,
      divergedFromTargetBranch: async (request, _args, context) =>
        ((await withMore(request, context))?.diverged_commits_count ?? 0) > 0,
      labels: async (request, page, context) => listOf(await labelsOf(context, request, 'merge_requests'), page),
      mergeError: detailed('merge_error'),
      mergeStatusEnum: ({ merge_status }) => merge_status.toUpperCase(),
      mergeable: ({ detailed_merge_status }) => detailed_merge_status === 'mergeable',
      name: ({ title }) => title,
      participants: (request, page, context) =>
        restConnection(context, `${mergeRequestApiPath(request)}/participants`, page),
      project: ({ project_id }, _args, context) => projectById(context, project_id),
      rebaseInProgress: async (request, _args, context) =>
        (await withMore(request, context))?.rebase_in_progress ?? false,
      reference: ({ references }, { full }) => (full ? references.full : references.short),
      shouldBeRebased: ({ detailed_merge_status }) => detailed_merge_status === 'need_rebase',
      sourceProject: ({ source_project_id }, _args, context) =>
        source_project_id === null ? null : projectById(context, source_project_id),
      subscribed: async (request, _args, context) => (await detail(request, context))?.subscribed ?? false,
      targetProject: ({ target_project_id }, _args, context) => projectById(context, target_project_id),
      userPermissions: (request) => request,
      webPath: ({ web_url }) => new URL(web_url).pathname,
    },
    MergeRequestPermissions: {
      adminMergeRequest: async ({ project_id }, _args, context) =>
        (await context.project(project_id))?.can('admin_merge_request') ?? false,
      canApprove: async (request, _args, context) => (await approvalsOf(request, context))?.user_can_approve ?? false,
      canMerge: async (request, _args, context) => (await detail(request, context))?.user?.can_merge ?? false,
      createNote: async (request, _args, context) =>
        (await noteablePermissions(context, { kind: 'MergeRequest', entity: request })).comment,
      pushToSourceBranch: async ({ source_project_id }, _args, context) =>
        source_project_id !== null && ((await context.project(source_project_id))?.can('push_code') ?? false),
      readMergeRequest: () => true,
      updateMergeRequest: async ({ project_id, author, assignees }, _args, context) => {
        const [subject, own] = [await context.project(project_id), context.caller.user?.id];
        const takesPart = [author, ...assignees].some(({ id }: Entity) => id === own);
        return (
          subject !== undefined && (subject.can('admin_merge_request') || (takesPart && subject.can('create_note')))
        );
      },
    },
  },
};

export const approvalsOf = (request: Entity, context: ResolverContext) =>
  context.read(`${mergeRequestApiPath(request)}/approvals`);

const withMore = (request: Entity, context: ResolverContext) =>
  context.read(mergeRequestApiPath(request), {
    include_diverged_commits_count: true,
    include_rebase_in_progress: true,
  });

const own = (context: ResolverContext, args: Entity, query: Readonly<Record<string, number>>) =>
  restConnection(context, '/merge_requests', args, { query: { ...filtersOf(args), ...query } });

async function requestById(context: ResolverContext, id: Entity): Promise<Entity | null> {
  const place = await apiPathOf(context.services.db.read, id);
  return place ? context.read(place.path) : null;
}
