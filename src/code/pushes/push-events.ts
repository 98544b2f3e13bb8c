import type { NewEvent } from '../../namespaces/events/public.ts';
import type { MovedRef, Push } from './push.ts';

/**
 * Creates the events of a push: one per ref, or a single one for all refs of the same kind and action if there are too
 * many.
 */
export function eventsOf(push: Push, atMost: number): NewEvent[] {
  const alike = Map.groupBy(push.refs, (ref) => `${ref.kind} ${ref.action}`);
  return [...alike.values()].flatMap((refs) =>
    refs.length <= atMost ? refs.map((ref) => single(push, ref)) : [bulk(push, refs)],
  );
}

function pushed(push: Push): Omit<NewEvent, 'push'> {
  return { projectId: push.projectId, authorId: push.userId, action: 'pushed', audience: 'code', at: push.at };
}

function single(push: Push, ref: MovedRef): NewEvent {
  return {
    ...pushed(push),
    push: {
      action: ref.action,
      refType: ref.kind,
      ref: ref.name,
      refCount: null,
      commitCount: ref.commitCount,
      commitFrom: ref.old,
      commitTo: ref.new,
      commitTitle: ref.commitTitle,
    },
  };
}

function bulk(push: Push, refs: readonly MovedRef[]): NewEvent {
  const [first] = refs as [MovedRef];
  return {
    ...pushed(push),
    push: {
      action: first.action,
      refType: first.kind,
      ref: null,
      refCount: refs.length,
      commitCount: 0,
      commitFrom: null,
      commitTo: null,
      commitTitle: null,
    },
  };
}
