import { connectionTypes, emptyList, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { asNamespace, projectById } from '../projects/projects.ts';
import { renderedField } from '../rendered-fields.ts';
import { filtersOf, filtersSortedBy, sorts } from './issues.ts';
import { widgetNames, widgetTypes } from './work-item-widgets.ts';

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The display name of a type: `Test Case` for `test_case`. */
const typeName = (type: string) => type.split('_').map(capitalized).join(' ');

/** The types of issues, with the ids that they have in GitLab. */
const typeIds: Readonly<Record<string, number>> = { issue: 1, incident: 2, test_case: 3, task: 5 };
const allTypes = Object.keys(typeIds);

const workItemType = (type: string) => ({ issue_type: type, id: typeIds[type] });

/** The type with an id; undefined if there is none. */
export const typeWithId = (id: string): string | undefined => allTypes.find((type) => id === String(typeIds[type]));

const filters = filtersSortedBy('WorkItemSort');

/** The path of the API below which a namespace has issues: users have none. */
const issuesOf: Resolve = ({ id, kind }, args, context) => {
  if (kind === 'user') return emptyList();
  const path = kind === 'group' ? `/groups/${id}/issues` : `/projects/${id}/issues`;
  return restConnection(context, path, args, { query: filtersOf(args) });
};

const issueOf: Resolve = ({ id, kind }, { iid }, context) =>
  kind === 'project' && /^\d{1,15}$/.test(iid) ? context.read(`/projects/${id}/issues/${iid}`) : null;

const typesOf: Resolve = (_namespace, { name, ...page }) => {
  const types = allTypes.filter((type) => name == null || type === name.toLowerCase());
  return listOf(types.map(workItemType), page);
};

/** Issues as work items, as newer clients request them. Their attributes are widgets. */
export const workItems: Part = {
  types: `
    extend type Namespace {
      workItem(iid: String!): WorkItem
      workItemTypes(name: IssueType, ${pageArguments}): WorkItemTypeConnection
      workItems(${filters}): WorkItemConnection
    }
    extend type Project {
      workItem(iid: String!): WorkItem
      workItemTypes(name: IssueType, ${pageArguments}): WorkItemTypeConnection
      workItems(${filters}): WorkItemConnection
    }
    extend type Group { workItems(${filters}): WorkItemConnection }
    enum WorkItemSort { ${sorts.join(' ')} }
    enum WorkItemState { CLOSED OPEN }
    "An issue, an incident, a test case or a task."
    type WorkItem {
      author: UserCore
      closedAt: Time
      confidential: Boolean!
      createdAt: Time!
      description: String
      descriptionHtml: String
      id: WorkItemID!
      iid: String!
      namespace: Namespace
      project: Project
      reference(full: Boolean = false): String!
      state: WorkItemState!
      title: String!
      updatedAt: Time!
      userDiscussionsCount: Int!
      webPath: String
      webUrl: String
      widgets(exceptTypes: [WorkItemWidgetType!], onlyTypes: [WorkItemWidgetType!]): [WorkItemWidget!]
      workItemType: WorkItemType!
    }
    type WorkItemType {
      id: WorkItemsTypeID!
      name: String!
      supportedConversionTypes: [WorkItemType!]
      widgetDefinitions: [WorkItemWidgetDefinition!]
    }
    ${connectionTypes('WorkItem', 'count: Int!')}
    ${connectionTypes('WorkItemType')}
  `,
  fields: {
    Namespace: { workItem: issueOf, workItemTypes: typesOf, workItems: issuesOf },
    Project: {
      workItem: (project, args, context, info) => issueOf(asNamespace(project), args, context, info),
      workItemTypes: typesOf,
      workItems: (project, args, context, info) => issuesOf(asNamespace(project), args, context, info),
    },
    Group: {
      workItems: (group, args, context, info) => issuesOf({ ...group, kind: 'group' }, args, context, info),
    },
    WorkItem: {
      id: ({ id }) => globalId('WorkItem', id),
      iid: ({ iid }) => String(iid),
      descriptionHtml: renderedField('description'),
      namespace: async ({ project_id }, _args, context) => {
        const project = await projectById(context, project_id);
        return project && asNamespace(project);
      },
      project: ({ project_id }, _args, context) => projectById(context, project_id),
      reference: ({ references }, { full }) => (full ? references.full : references.short),
      state: ({ state }) => (state === 'closed' ? 'CLOSED' : 'OPEN'),
      userDiscussionsCount: ({ user_notes_count }) => user_notes_count,
      webPath: ({ web_url }) => new URL(web_url).pathname,
      widgets: (issue, { exceptTypes, onlyTypes }) =>
        widgetNames
          .filter((name) => onlyTypes?.includes(widgetTypes[name]) ?? true)
          .filter((name) => !exceptTypes?.includes(widgetTypes[name]))
          .map((widget) => ({ ...issue, widget })),
      workItemType: ({ issue_type }) => workItemType(issue_type),
    },
    WorkItemType: {
      id: ({ id }) => globalId('WorkItems::Type', id),
      name: ({ issue_type }) => typeName(issue_type),
      supportedConversionTypes: ({ issue_type }) => allTypes.filter((type) => type !== issue_type).map(workItemType),
      widgetDefinitions: () => widgetNames.map((widget) => ({ widget })),
    },
  },
};
