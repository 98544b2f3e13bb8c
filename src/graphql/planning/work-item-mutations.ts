import { GraphQLError } from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf } from '../api-paths.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import type { GlobalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { asNamespace, projectById } from '../projects/projects.ts';
import { change, requireProject, stateEvents } from './issue-mutations.ts';
import { labelNames, numberOf } from './label-names.ts';
import { healthStatuses, linkTypeOf } from './work-item-widgets.ts';
import { typeWithId } from './work-items.ts';

const pathOf = ({ project_id, iid }: Entity) => `/projects/${project_id}/issues/${iid}`;

async function requireWorkItem(context: ResolverContext, id: GlobalId): Promise<Entity> {
  const place = await apiPathOf(context.services.db.read, { ...id, model: 'WorkItem' });
  const found = place && (await context.read(place.path));
  if (!found) throw notAvailable();
  return found;
}

function requireType({ id }: GlobalId): string {
  const type = typeWithId(id);
  if (type === undefined) throw notAvailable();
  return type;
}

/** The API's attributes for the widgets of an input. Those that were not sent stay as they are. */
const attributesOf = ({
  assigneesWidget,
  descriptionWidget,
  milestoneWidget,
  startAndDueDateWidget,
  weightWidget,
}: Entity) => ({
  assignee_ids: assigneesWidget?.assigneeIds.map(numberOf),
  description: descriptionWidget?.description,
  due_date: startAndDueDateWidget?.dueDate,
  milestone_id: milestoneWidget?.milestoneId ? numberOf(milestoneWidget.milestoneId) : milestoneWidget?.milestoneId,
  weight: weightWidget?.weight,
});

/** Quick actions for what the API sets in no other way. */
function quickActionsFor({ healthStatusWidget, iterationWidget }: Entity, item: Entity): string[] {
  const actions: string[] = [];
  const health: string | null | undefined = healthStatusWidget?.healthStatus;
  const status = Object.keys(healthStatuses).find((name) => healthStatuses[name] === health);
  if (status !== undefined) actions.push(`/health_status ${status}`);
  else if (health === null && item.health_status !== null) actions.push('/clear_health_status');
  const iteration: GlobalId | null | undefined = iterationWidget?.iterationId;
  if (iteration) actions.push(`/iteration *iteration:${numberOf(iteration)}`);
  else if (iteration === null && item.iteration !== null) actions.push('/remove_iteration');
  return actions;
}

const maySetMetadata = async (context: ResolverContext, projectId: number) =>
  (await context.project(projectId))?.can('admin_issue') ?? false;

/** Sets the health status and the iteration, one by one, because an action that fails among others is only left out. */
async function actOn(context: ResolverContext, input: Entity, item: Entity) {
  const actions = quickActionsFor(input, item);
  if (actions.length === 0) return { workItem: item, errors: [] };
  for (const body of actions) {
    const { errors } = await context.send('POST', `${pathOf(item)}/notes`, { body });
    if (errors.length > 0) return { workItem: await context.read(pathOf(item)), errors };
  }
  return { workItem: await context.read(pathOf(item)), errors: [] };
}

const listed = (names: readonly string[]) => (names.length > 0 ? names.join(',') : undefined);

async function create(context: ResolverContext, input: Entity) {
  const path = input.namespacePath ?? input.projectPath;
  if (path == null) throw new GraphQLError('One of the arguments namespacePath and projectPath is required');
  const { id } = await requireProject(context, path);
  const { entity, errors } = await context.send('POST', `/projects/${id}/issues`, {
    ...attributesOf(input),
    title: input.title,
    confidential: input.confidential ?? undefined,
    created_at: input.createdAt ?? undefined,
    issue_type: requireType(input.workItemTypeId),
    labels: listed(await labelNames(context, id, input.labelsWidget?.labelIds ?? [])),
  });
  // As the API does with other attributes that guests may not set.
  const sets = entity !== null && (await maySetMetadata(context, id));
  return sets ? actOn(context, input, entity) : { workItem: entity, errors };
}

async function update(context: ResolverContext, { id, labelsWidget, ...input }: Entity) {
  const item = await requireWorkItem(context, id);
  const acts = quickActionsFor(input, item).length > 0;
  if (acts && !(await maySetMetadata(context, item.project_id))) throw notAvailable();
  const names = async (ids: readonly GlobalId[] | null | undefined) =>
    listed(await labelNames(context, item.project_id, ids ?? []));
  const { issue, errors } = await change(context, item, {
    ...attributesOf(input),
    title: input.title ?? undefined,
    confidential: input.confidential ?? undefined,
    state_event: stateEvents[input.stateEvent],
    add_labels: await names(labelsWidget?.addLabelIds),
    remove_labels: await names(labelsWidget?.removeLabelIds),
  });
  return errors.length > 0 ? { workItem: issue, errors } : actOn(context, input, issue);
}

async function convert(context: ResolverContext, { id, workItemTypeId }: Entity) {
  const item = await requireWorkItem(context, id);
  const { issue, errors } = await change(context, item, { issue_type: requireType(workItemTypeId) });
  return { workItem: issue, errors };
}

async function remove(context: ResolverContext, { id }: Entity) {
  const item = await requireWorkItem(context, id);
  const { errors } = await context.send('DELETE', pathOf(item));
  const project = await projectById(context, item.project_id);
  return { namespace: project && asNamespace(project), project, errors };
}

const mostLinks = 10;

function checkLinks(ids: readonly GlobalId[]): void {
  if (ids.length === 0) throw new GraphQLError('workItemsIds cannot be empty');
  if (ids.length > mostLinks)
    throw new GraphQLError(`No more than ${mostLinks} work items can be modified at the same time.`);
}

/** Links work items one after the other, up to the first that is rejected. */
async function addLinks(context: ResolverContext, { id, workItemsIds, linkType }: Entity) {
  checkLinks(workItemsIds);
  const item = await requireWorkItem(context, id);
  const targets = await Promise.all(workItemsIds.map((each: GlobalId) => requireWorkItem(context, each)));
  for (const target of targets) {
    const { errors } = await context.send('POST', `${pathOf(item)}/links`, {
      target_project_id: String(target.project_id),
      target_issue_iid: target.iid,
      link_type: linkTypeOf(linkType),
    });
    if (errors.length > 0) return { workItem: item, errors };
  }
  return { workItem: item, errors: [] };
}

async function removeLinks(context: ResolverContext, { id, workItemsIds }: Entity) {
  checkLinks(workItemsIds);
  const item = await requireWorkItem(context, id);
  const links: readonly Entity[] = (await context.read(`${pathOf(item)}/links`)) ?? [];
  const ids = workItemsIds.map((each: GlobalId) => Number(each.id));
  const wanted = links.filter((link) => ids.includes(link.id));
  if (wanted.length < new Set(ids).size) throw notAvailable();
  for (const { issue_link_id } of wanted) {
    const { errors } = await context.send('DELETE', `${pathOf(item)}/links/${issue_link_id}`);
    if (errors.length > 0) return { workItem: item, errors };
  }
  return { workItem: item, errors: [] };
}

const widgets = `
  assigneesWidget: WorkItemWidgetAssigneesInput
  confidential: Boolean
  descriptionWidget: WorkItemWidgetDescriptionInput
  healthStatusWidget: WorkItemWidgetHealthStatusInput
  iterationWidget: WorkItemWidgetIterationInput
  milestoneWidget: WorkItemWidgetMilestoneInput
  startAndDueDateWidget: WorkItemWidgetStartAndDueDateUpdateInput
  weightWidget: WorkItemWidgetWeightInput
`;

export const workItemMutations: Part = {
  types: `
    extend type Mutation {
      workItemAddLinkedItems(input: WorkItemAddLinkedItemsInput!): WorkItemAddLinkedItemsPayload
      workItemConvert(input: WorkItemConvertInput!): WorkItemConvertPayload
      workItemCreate(input: WorkItemCreateInput!): WorkItemCreatePayload
      workItemDelete(input: WorkItemDeleteInput!): WorkItemDeletePayload
      workItemRemoveLinkedItems(input: WorkItemRemoveLinkedItemsInput!): WorkItemRemoveLinkedItemsPayload
      workItemUpdate(input: WorkItemUpdateInput!): WorkItemUpdatePayload
    }
    enum WorkItemStateEvent { CLOSE REOPEN }
    input WorkItemWidgetAssigneesInput { assigneeIds: [UserID!]! }
    input WorkItemWidgetDescriptionInput { description: String! }
    input WorkItemWidgetHealthStatusInput { healthStatus: HealthStatus }
    input WorkItemWidgetIterationInput { iterationId: IterationID }
    input WorkItemWidgetLabelsCreateInput { labelIds: [LabelID!]! }
    input WorkItemWidgetLabelsUpdateInput { addLabelIds: [LabelID!] removeLabelIds: [LabelID!] }
    input WorkItemWidgetMilestoneInput { milestoneId: MilestoneID }
    input WorkItemWidgetStartAndDueDateUpdateInput { dueDate: Date }
    input WorkItemWidgetWeightInput { weight: Int }
    ${mutationTypes(
      'WorkItemCreate',
      `createdAt: Time labelsWidget: WorkItemWidgetLabelsCreateInput namespacePath: ID projectPath: ID title: String!
       workItemTypeId: WorkItemsTypeID! ${widgets}`,
      'workItem: WorkItem',
    )}
    ${mutationTypes(
      'WorkItemUpdate',
      `id: WorkItemID! labelsWidget: WorkItemWidgetLabelsUpdateInput stateEvent: WorkItemStateEvent title: String
       ${widgets}`,
      'workItem: WorkItem',
    )}
    ${mutationTypes('WorkItemConvert', 'id: WorkItemID! workItemTypeId: WorkItemsTypeID!', 'workItem: WorkItem')}
    ${mutationTypes('WorkItemDelete', 'id: WorkItemID!', 'namespace: Namespace project: Project')}
    ${mutationTypes(
      'WorkItemAddLinkedItems',
      'id: WorkItemID! linkType: WorkItemRelatedLinkType = RELATED workItemsIds: [WorkItemID!]!',
      'workItem: WorkItem',
    )}
    ${mutationTypes('WorkItemRemoveLinkedItems', 'id: WorkItemID! workItemsIds: [WorkItemID!]!', 'workItem: WorkItem')}
  `,
  fields: {
    Mutation: {
      workItemAddLinkedItems: mutation(addLinks),
      workItemConvert: mutation(convert),
      workItemCreate: mutation(create),
      workItemDelete: mutation(remove),
      workItemRemoveLinkedItems: mutation(removeLinks),
      workItemUpdate: mutation(update),
    },
  },
};
