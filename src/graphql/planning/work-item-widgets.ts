import { GraphQLError } from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import { cadenceIdOf } from '../api-paths.ts';
import {
  connectionTypes,
  embeddedConnection,
  emptyList,
  listOf,
  pageArguments,
  restConnection,
} from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { noteableFields } from '../notes/notes.ts';
import { renderedField } from '../rendered-fields.ts';
import { labelsOf } from './labels.ts';

/** The widgets of each work item. */
export const widgetTypes = {
  WorkItemWidgetAssignees: 'ASSIGNEES',
  WorkItemWidgetAwardEmoji: 'AWARD_EMOJI',
  WorkItemWidgetDescription: 'DESCRIPTION',
  WorkItemWidgetDevelopment: 'DEVELOPMENT',
  WorkItemWidgetHealthStatus: 'HEALTH_STATUS',
  WorkItemWidgetIteration: 'ITERATION',
  WorkItemWidgetLabels: 'LABELS',
  WorkItemWidgetLinkedItems: 'LINKED_ITEMS',
  WorkItemWidgetMilestone: 'MILESTONE',
  WorkItemWidgetNotes: 'NOTES',
  WorkItemWidgetParticipants: 'PARTICIPANTS',
  WorkItemWidgetStartAndDueDate: 'START_AND_DUE_DATE',
  WorkItemWidgetTimeTracking: 'TIME_TRACKING',
  WorkItemWidgetWeight: 'WEIGHT',
} as const;

type WidgetName = keyof typeof widgetTypes;
export const widgetNames = Object.keys(widgetTypes) as readonly WidgetName[];
const typeOf = ({ widget }: Entity) => widgetTypes[widget as WidgetName];

/**
 * Widgets that no work item has here. Without their types, GraphQL would refuse the whole query of a client that asks
 * for them in fragments, as for the other widgets.
 */
const absentTypes = `
  type WorkItemWidgetColor implements WorkItemWidget { color: String textColor: String type: WorkItemWidgetType }
  type WorkItemWidgetCustomFields implements WorkItemWidget {
    customFieldValues: [WorkItemCustomFieldValue!]
    type: WorkItemWidgetType
  }
  interface WorkItemCustomFieldValue { customField: CustomField }
  type CustomField { fieldType: String! id: ID! name: String! selectOptions: [CustomFieldSelectOption!] workItemTypes: [WorkItemType!] }
  type CustomFieldSelectOption { id: ID! value: String! }
  type WorkItemNumberFieldValue implements WorkItemCustomFieldValue { customField: CustomField value: CustomFieldValue }
  type WorkItemSelectFieldValue implements WorkItemCustomFieldValue {
    customField: CustomField
    selectedOptions: [CustomFieldSelectOption!]
  }
  type WorkItemTextFieldValue implements WorkItemCustomFieldValue { customField: CustomField value: CustomFieldValue }
  "A number or a text: clients select the values of both under one name."
  scalar CustomFieldValue
  type WorkItemWidgetHierarchy implements WorkItemWidget {
    children(${pageArguments}): WorkItemConnection
    hasChildren: Boolean
    hasParent: Boolean
    parent: WorkItem
    type: WorkItemWidgetType
  }
  type WorkItemWidgetProgress implements WorkItemWidget { progress: Int type: WorkItemWidgetType }
  type WorkItemWidgetStatus implements WorkItemWidget { status: WorkItemStatus type: WorkItemWidgetType }
  type WorkItemStatus {
    category: String
    color: String
    iconName: String
    id: ID!
    name: String
    position: Int
  }
  type WorkItemWidgetDefinitionCustomFields implements WorkItemWidgetDefinition {
    customFieldValues: [WorkItemCustomFieldValue!]
    type: WorkItemWidgetType!
  }
  type WorkItemWidgetDefinitionHierarchy implements WorkItemWidgetDefinition {
    allowedChildTypes: WorkItemTypeConnection
    allowedParentTypes: WorkItemTypeConnection
    type: WorkItemWidgetType!
  }
  type WorkItemWidgetDefinitionStatus implements WorkItemWidgetDefinition {
    allowedStatuses: [WorkItemStatus!]
    type: WorkItemWidgetType!
  }
`;
const absent = ['COLOR', 'CUSTOM_FIELDS', 'HIERARCHY', 'PROGRESS', 'STATUS'];

const pathOf = ({ project_id, iid }: Entity) => `/projects/${project_id}/issues/${iid}`;

const linksOf = async (context: ResolverContext, issue: Entity): Promise<readonly Entity[]> =>
  (await context.read(`${pathOf(issue)}/links`)) ?? [];

const openLinks = async (context: ResolverContext, issue: Entity, type: string) =>
  (await linksOf(context, issue)).filter(({ link_type, state }) => link_type === type && state === 'opened').length;

const linkTypes: Readonly<Record<string, string>> = {
  BLOCKED_BY: 'is_blocked_by',
  BLOCKS: 'blocks',
  RELATED: 'relates_to',
};

/** The type of a link as the API calls it. */
export const linkTypeOf = (name: string): string => linkTypes[name] ?? name;

/** The API's health statuses, and their names in GraphQL. */
export const healthStatuses: Readonly<Record<string, string>> = {
  at_risk: 'atRisk',
  needs_attention: 'needsAttention',
  on_track: 'onTrack',
};

export const workItemWidgets: Part = {
  types: `
    enum WorkItemWidgetType { ${[...Object.values(widgetTypes), ...absent].join(' ')} }
    interface WorkItemWidget { type: WorkItemWidgetType }
    "A widget that work items of a type can have."
    interface WorkItemWidgetDefinition { type: WorkItemWidgetType! }
    type WorkItemWidgetDefinitionGeneric implements WorkItemWidgetDefinition { type: WorkItemWidgetType! }
    type WorkItemWidgetAssignees implements WorkItemWidget {
      allowsMultipleAssignees: Boolean!
      assignees(${pageArguments}): UserCoreConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetAwardEmoji implements WorkItemWidget {
      awardEmoji(${pageArguments}): AwardEmojiConnection
      downvotes: Int!
      type: WorkItemWidgetType
      upvotes: Int!
    }
    type WorkItemWidgetDescription implements WorkItemWidget {
      description: String
      descriptionHtml: String
      type: WorkItemWidgetType
    }
    type WorkItemWidgetDevelopment implements WorkItemWidget {
      closingMergeRequests(${pageArguments}): WorkItemClosingMergeRequestConnection
      featureFlags(${pageArguments}): FeatureFlagConnection
      relatedBranches(${pageArguments}): WorkItemRelatedBranchConnection
      relatedMergeRequests(${pageArguments}): MergeRequestConnection
      type: WorkItemWidgetType
      willAutoCloseByMergeRequest: Boolean!
    }
    type WorkItemClosingMergeRequest { mergeRequest: MergeRequest }
    type WorkItemRelatedBranch { name: String! }
    type FeatureFlag { active: Boolean! name: String! }
    enum HealthStatus { atRisk needsAttention onTrack }
    type WorkItemWidgetHealthStatus implements WorkItemWidget { healthStatus: HealthStatus type: WorkItemWidgetType }
    type WorkItemWidgetIteration implements WorkItemWidget { iteration: Iteration type: WorkItemWidgetType }
    type Iteration {
      description: String
      dueDate: String
      id: ID!
      iid: ID!
      iterationCadence: IterationCadence
      startDate: String
      title: String
      webUrl: String!
    }
    type IterationCadence { id: ID! title: String! }
    type WorkItemWidgetLabels implements WorkItemWidget {
      labels(${pageArguments}): LabelConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetLinkedItems implements WorkItemWidget {
      blocked: Boolean
      blockedByCount: Int
      blockingCount: Int
      linkedItems(filter: WorkItemRelatedLinkType, ${pageArguments}): LinkedWorkItemTypeConnection
      type: WorkItemWidgetType
    }
    enum WorkItemRelatedLinkType { BLOCKED_BY BLOCKS RELATED }
    type LinkedWorkItemType {
      linkCreatedAt: Time!
      linkId: ID!
      linkType: String!
      linkUpdatedAt: Time!
      workItem: WorkItem
      workItemState: WorkItemState!
    }
    type WorkItemWidgetMilestone implements WorkItemWidget { milestone: Milestone type: WorkItemWidgetType }
    enum WorkItemDiscussionsSort { CREATED_ASC CREATED_DESC }
    type WorkItemWidgetNotes implements WorkItemWidget {
      discussionLocked: Boolean
      discussions(
        filter: NotesFilterType = ALL_NOTES
        sort: WorkItemDiscussionsSort = CREATED_ASC
        ${pageArguments}
      ): DiscussionConnection
      notes(filter: NotesFilterType = ALL_NOTES, ${pageArguments}): NoteConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetParticipants implements WorkItemWidget {
      participants(${pageArguments}): UserCoreConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetStartAndDueDate implements WorkItemWidget {
      dueDate: Date
      startDate: Date
      type: WorkItemWidgetType
    }
    type WorkItemWidgetTimeTracking implements WorkItemWidget {
      humanReadableAttributes: WorkItemHumanReadableTime
      timeEstimate: Int
      totalTimeSpent: Int
      type: WorkItemWidgetType
    }
    type WorkItemHumanReadableTime { timeEstimate: String totalTimeSpent: String }
    type WorkItemWidgetWeight implements WorkItemWidget {
      "Null, because work items have no children."
      rolledUpCompletedWeight: Int
      "Null, because work items have no children."
      rolledUpWeight: Int
      type: WorkItemWidgetType
      weight: Int
    }
    ${connectionTypes('WorkItemClosingMergeRequest', 'count: Int!')}
    ${connectionTypes('WorkItemRelatedBranch')}
    ${connectionTypes('FeatureFlag')}
    ${connectionTypes('LinkedWorkItemType')}
    ${absentTypes}
  `,
  kinds: {
    WorkItemWidget: ({ widget }) => widget,
    WorkItemWidgetDefinition: () => 'WorkItemWidgetDefinitionGeneric',
    // No field has a value, because there are no custom fields.
    WorkItemCustomFieldValue: () => 'WorkItemTextFieldValue',
  },
  fields: {
    WorkItemWidget: { type: typeOf },
    WorkItemWidgetDefinition: { type: typeOf },
    WorkItemWidgetAssignees: {
      allowsMultipleAssignees: () => true,
      assignees: embeddedConnection(({ assignees }) => assignees),
    },
    WorkItemWidgetAwardEmoji: {
      awardEmoji: (issue, page, context) => restConnection(context, `${pathOf(issue)}/award_emoji`, page),
    },
    WorkItemWidgetDescription: { descriptionHtml: renderedField('description') },
    WorkItemWidgetDevelopment: {
      closingMergeRequests: (issue, page, context) =>
        restConnection(context, `${pathOf(issue)}/closed_by`, page, { as: (entity) => ({ merge_request: entity }) }),
      // Feature flags cannot be linked to issues.
      featureFlags: emptyList,
      relatedBranches: ({ project_id, iid }, page, context) =>
        restConnection(context, `/projects/${project_id}/repository/branches`, page, { query: { search: `^${iid}-` } }),
      relatedMergeRequests: (issue, page, context) =>
        restConnection(context, `${pathOf(issue)}/related_merge_requests`, page),
      willAutoCloseByMergeRequest: async (issue, _args, context) => {
        const closing: readonly Entity[] = (await context.read(`${pathOf(issue)}/closed_by`, { per_page: 100 })) ?? [];
        return closing.some(({ state }) => state === 'opened');
      },
    },
    WorkItemWidgetHealthStatus: { healthStatus: ({ health_status }) => healthStatuses[health_status] ?? null },
    Iteration: {
      id: ({ id }) => globalId('Iteration', id),
      iterationCadence: async ({ id, group_id }, _args, context) => {
        const cadence = await cadenceIdOf(context.services.db.read, id);
        const cadences: readonly Entity[] =
          (await context.read(`/groups/${group_id}/iteration_cadences`, { per_page: 100 })) ?? [];
        return cadences.find((each) => each.id === cadence);
      },
    },
    IterationCadence: { id: ({ id }) => globalId('Iterations::Cadence', id) },
    WorkItemWidgetLabels: {
      labels: async (issue, page, context) => listOf(await labelsOf(context, issue, 'issues'), page),
    },
    WorkItemWidgetLinkedItems: {
      blocked: async (issue, _args, context) => (await openLinks(context, issue, 'is_blocked_by')) > 0,
      blockedByCount: (issue, _args, context) => openLinks(context, issue, 'is_blocked_by'),
      blockingCount: (issue, _args, context) => openLinks(context, issue, 'blocks'),
      linkedItems: async (issue, { filter, ...page }, context) => {
        const links = await linksOf(context, issue);
        return listOf(filter ? links.filter(({ link_type }) => link_type === linkTypeOf(filter)) : links, page);
      },
    },
    LinkedWorkItemType: {
      linkId: ({ issue_link_id }) => globalId('WorkItems::RelatedWorkItemLink', issue_link_id),
      workItem: (link) => link,
      workItemState: ({ state }) => (state === 'closed' ? 'CLOSED' : 'OPEN'),
    },
    WorkItemWidgetNotes: {
      discussionLocked: ({ discussion_locked }) => discussion_locked ?? false,
      discussions: (issue, { filter, sort, ...page }, context, info) => {
        if (filter !== 'ALL_NOTES' || sort !== 'CREATED_ASC') {
          throw new GraphQLError('`discussions` are only available in the order of their creation, with all notes');
        }
        return noteableFields('Issue').discussions(issue, page, context, info);
      },
      notes: noteableFields('Issue').notes,
    },
    WorkItemWidgetParticipants: {
      participants: (issue, page, context) => restConnection(context, `${pathOf(issue)}/participants`, page),
    },
    WorkItemWidgetTimeTracking: {
      humanReadableAttributes: ({ time_stats }) => ({
        time_estimate: time_stats.human_time_estimate,
        total_time_spent: time_stats.human_total_time_spent,
      }),
      timeEstimate: ({ time_stats }) => time_stats.time_estimate,
      totalTimeSpent: ({ time_stats }) => time_stats.total_time_spent,
    },
  },
};
