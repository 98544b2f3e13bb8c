export { insertList as insertBoardList } from './lists/store.ts';
export { insertBoard, setLabels as setBoardLabels } from './store.ts';
