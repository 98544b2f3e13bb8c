import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { createTodo, type ShownTarget, type TargetPresenter, type TodoEntity } from '../todos/public.ts';
import { filterReadableEpics } from './list.ts';
import { presentEpics } from './present.ts';
import { readableEpic, targetOf } from './service.ts';

/** Presents epics as to-do targets, limited to those the reader may still read. */
export const epicTodoTarget: TargetPresenter = {
  type: 'Epic',
  async present(services, reader, ids) {
    const epics = await filterReadableEpics(services.db.read, viewerOf(reader), ids);
    const entities = await presentEpics(services, epics, { groupId: 0 });
    return new Map(
      entities.map((entity): [number, ShownTarget] => [
        entity.id,
        { entity, url: entity.web_url, title: entity.title },
      ]),
    );
  },
};

/** Creates a to-do item for an epic. */
export async function createEpicTodo(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
): Promise<TodoEntity> {
  return createTodo(services, caller, targetOf(await readableEpic(services, subject, iid)));
}
