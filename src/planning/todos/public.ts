export type { ShownTarget, TargetPresenter } from './present.ts';
export { Todo, type TodoEntity } from './schema.ts';
export { createTodo } from './service.ts';
export { addTodo, deleteTodosOf, finishTodos, hasPendingTodo, type NewTodo } from './store.ts';
export type { TodoAction } from './tables.ts';
