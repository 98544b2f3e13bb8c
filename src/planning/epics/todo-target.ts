import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { markForLater, type ShownTarget, type TargetPresenter, type TodoEntity } from '../todos/public.ts';
import { readableAmong } from './list.ts';
import { presentEpics } from './present.ts';
import { readableEpic, targetOf } from './service.ts';

/** Epics as to-dos show them, each as far as the reader may still read it. */
export const epicTodoTarget: TargetPresenter = {
  type: 'Epic',
  async present(services, reader, ids) {
    const epics = await readableAmong(services.db.read, viewerOf(reader), ids);
    const entities = await presentEpics(services, epics, { groupId: 0 });
    return new Map(
      entities.map((entity): [number, ShownTarget] => [
        entity.id,
        { entity, url: entity.web_url, title: entity.title },
      ]),
    );
  },
};

/** Puts an epic on the caller's own list of what is to do. */
export async function markEpic(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
): Promise<TodoEntity> {
  return markForLater(services, caller, targetOf(await readableEpic(services, subject, iid)));
}
