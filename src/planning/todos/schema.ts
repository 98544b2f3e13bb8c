import Type, { type Static } from 'typebox';
import { BasicNamespace, ProjectIdentity } from '../../namespaces/projects/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { todoList } from './list.ts';

export const Todo = entity('Todo', {
  id: Type.Integer(),
  project: Type.Optional(ProjectIdentity),
  group: Type.Optional(BasicNamespace),
  author: nullable(BasicUser),
  action_name: Type.String(),
  target_type: Type.String(),
  target: Type.Unknown(),
  target_url: Type.String(),
  body: Type.String(),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type TodoEntity = Static<typeof Todo>;

export const listParams = todoList.params;
export const oneTodo = { id: required(param.integer()) };
export type TodoListParams = ParamsOf<typeof listParams>;
