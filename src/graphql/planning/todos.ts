import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';

async function markDone(context: ResolverContext, { id }: Entity) {
  const { entity, errors } = await context.send('POST', `/todos/${id.id}/mark_as_done`);
  return { todo: entity, errors };
}

/** Marks all pending items as done, and returns the first of them. */
async function markAllDone(context: ResolverContext) {
  const pending: Entity[] = (await context.read('/todos', { state: 'pending', per_page: 100 })) ?? [];
  const { errors } = await context.send('POST', '/todos/mark_as_done');
  return { todos: pending.map((todo) => ({ ...todo, state: 'done' })), errors };
}

export const todos: Part = {
  types: `
    extend type Mutation {
      todoMarkDone(input: TodoMarkDoneInput!): TodoMarkDonePayload
      todosMarkAllDone(input: TodosMarkAllDoneInput!): TodosMarkAllDonePayload
    }
    "A to-do item of the caller."
    type Todo {
      action: String!
      author: UserCore!
      body: String!
      createdAt: Time!
      group: Group
      id: ID!
      project: Project
      state: TodoStateEnum!
      targetType: String!
      targetUrl: String
    }
    enum TodoStateEnum { done pending }
    ${mutationTypes('TodoMarkDone', 'id: TodoID!', 'todo: Todo!')}
    ${mutationTypes('TodosMarkAllDone', '', 'todos: [Todo!]!')}
  `,
  fields: {
    Todo: {
      action: ({ action_name }) => action_name,
      group: ({ group }, _args, context) => (group ? context.read(`/groups/${group.id}`) : null),
      id: ({ id }) => globalId('Todo', id),
      project: ({ project }, _args, context) => (project ? context.read(`/projects/${project.id}`) : null),
      targetType: ({ target_type }) => target_type.toUpperCase(),
    },
    Mutation: {
      todoMarkDone: mutation(markDone),
      todosMarkAllDone: mutation(markAllDone),
    },
  },
};
