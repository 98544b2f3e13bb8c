import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, embeddedConnection, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import { onlyOne } from '../engine/errors.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part } from '../engine/part.ts';
import { projectById } from '../projects/projects.ts';
import { renderedField } from '../rendered-fields.ts';
import { labelsOf } from './labels.ts';

const widgets = {
  WorkItemWidgetAssignees: 'ASSIGNEES',
  WorkItemWidgetDescription: 'DESCRIPTION',
  WorkItemWidgetLabels: 'LABELS',
  WorkItemWidgetMilestone: 'MILESTONE',
  WorkItemWidgetStartAndDueDate: 'START_AND_DUE_DATE',
} as const;

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The display name of a type: `Test Case` for `test_case`. */
const typeName = (type: string) => type.split('_').map(capitalized).join(' ');

/** Issues as work items, as newer clients request them, with their attributes as widgets. */
export const workItems: Part = {
  types: `
    extend type Project {
      workItem(iid: String!): WorkItem
      workItems(iid: String, iids: [String!], search: String, state: IssuableState, types: [IssueType!], ${pageArguments}): WorkItemConnection
    }
    enum WorkItemState { CLOSED OPEN }
    "An issue, an incident or a task."
    type WorkItem {
      author: UserCore
      closedAt: Time
      confidential: Boolean!
      createdAt: Time!
      description: String
      descriptionHtml: String
      id: WorkItemID!
      iid: String!
      project: Project
      reference(full: Boolean = false): String!
      state: WorkItemState!
      title: String!
      updatedAt: Time!
      webPath: String
      webUrl: String
      widgets: [WorkItemWidget!]
      workItemType: WorkItemType!
    }
    type WorkItemType { name: String! }
    enum WorkItemWidgetType { ${Object.values(widgets).join(' ')} }
    interface WorkItemWidget { type: WorkItemWidgetType }
    type WorkItemWidgetAssignees implements WorkItemWidget {
      allowsMultipleAssignees: Boolean!
      assignees(${pageArguments}): UserCoreConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetDescription implements WorkItemWidget {
      description: String
      descriptionHtml: String
      type: WorkItemWidgetType
    }
    type WorkItemWidgetLabels implements WorkItemWidget {
      labels(${pageArguments}): LabelConnection
      type: WorkItemWidgetType
    }
    type WorkItemWidgetMilestone implements WorkItemWidget { milestone: Milestone type: WorkItemWidgetType }
    type WorkItemWidgetStartAndDueDate implements WorkItemWidget {
      dueDate: String
      startDate: String
      type: WorkItemWidgetType
    }
    ${connectionTypes('WorkItem', 'count: Int!')}
  `,
  kinds: { WorkItemWidget: ({ widget }) => widget },
  fields: {
    Project: {
      workItem: ({ id }, { iid }, context) =>
        /^\d{1,15}$/.test(iid) ? context.read(`/projects/${id}/issues/${iid}`) : null,
      workItems: ({ id }, { iid, iids, search, state, types, ...page }, context) =>
        restConnection(context, `/projects/${id}/issues`, page, {
          query: {
            scope: 'all',
            iids: iid ? [iid] : iids,
            search,
            state,
            issue_type: onlyOne('types', types)?.toLowerCase(),
            with_labels_details: true,
          },
        }),
    },
    WorkItem: {
      id: ({ id }) => globalId('WorkItem', id),
      iid: ({ iid }) => String(iid),
      descriptionHtml: renderedField('description'),
      project: ({ project_id }, _args, context) => projectById(context, project_id),
      reference: ({ references }, { full }) => (full ? references.full : references.short),
      state: ({ state }) => (state === 'closed' ? 'CLOSED' : 'OPEN'),
      webPath: ({ web_url }) => new URL(web_url).pathname,
      widgets: (issue) => Object.keys(widgets).map((widget) => ({ ...issue, widget })),
      workItemType: ({ issue_type }) => ({ name: typeName(issue_type) }),
    },
    WorkItemWidget: { type: ({ widget }: Entity) => widgets[widget as keyof typeof widgets] },
    WorkItemWidgetAssignees: {
      allowsMultipleAssignees: () => true,
      assignees: embeddedConnection(({ assignees }) => assignees),
    },
    WorkItemWidgetDescription: { descriptionHtml: renderedField('description') },
    WorkItemWidgetLabels: {
      labels: async (issue, page, context) => listOf(await labelsOf(context, issue, 'issues'), page),
    },
  },
};
