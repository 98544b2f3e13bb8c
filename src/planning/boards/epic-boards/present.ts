import type { BoardEntity, BoardListEntity } from '../schema.ts';
import type { EpicBoardEntity, EpicBoardListEntity } from './schema.ts';

/** Lists of an epic board are always label lists. */
export function presentList({ id, label, position }: BoardListEntity): EpicBoardListEntity {
  return { id, label, position, list_type: 'label' };
}

export function presentBoard(board: BoardEntity): EpicBoardEntity {
  const { id, name, hide_backlog_list, hide_closed_list, group, labels, lists } = board;
  return { id, name, hide_backlog_list, hide_closed_list, group, labels, lists: lists.map(presentList) };
}
