export { addTodo, deleteTodosOf, finishTodos, type NewTodo } from './store.ts';
export type { TodoAction } from './tables.ts';
