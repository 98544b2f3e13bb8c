import type { Resolve } from './engine/part.ts';

/** A text of something in a project, drawn: `description`, or `title`, which is a line. */
export function drawn(name: 'description' | 'title'): Resolve {
  return async (entity, _given, asking) => {
    const subject = entity[name] ? await asking.project(entity.project_id) : undefined;
    return subject ? asking.texts.draw(subject, entity[name], name === 'title') : null;
  };
}
