import type { BoardEntity, BoardListEntity } from '../schema.ts';
import type { EpicBoardEntity, EpicBoardListEntity } from './schema.ts';

/** A list of a board of epics is of a label, whatever else one of issues could be of. */
export function presentList({ id, label, position }: BoardListEntity): EpicBoardListEntity {
  return { id, label, position, list_type: 'label' };
}

export function presentBoard(board: BoardEntity): EpicBoardEntity {
  const { id, name, hide_backlog_list, hide_closed_list, group, labels, lists } = board;
  return { id, name, hide_backlog_list, hide_closed_list, group, labels, lists: lists.map(presentList) };
}
