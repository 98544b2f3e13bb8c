import type { Resolve } from './engine/part.ts';

/** A text of something in a project, renderedField: `description`, or `title`, which is a line. */
export function renderedField(name: 'description' | 'title'): Resolve {
  return async (entity, _given, context) => {
    const subject = entity[name] ? await context.project(entity.project_id) : undefined;
    return subject ? context.texts.draw(subject, entity[name], name === 'title') : null;
  };
}
