import type { Resolve } from './engine/part.ts';

/** Resolves to the HTML of a `description`, or of a `title`, which is rendered as a single line. */
export function renderedField(name: 'description' | 'title'): Resolve {
  return async (entity, _args, context) => {
    const subject = entity[name] ? await context.project(entity.project_id) : undefined;
    return subject ? context.texts.draw(subject, entity[name], name === 'title') : null;
  };
}
