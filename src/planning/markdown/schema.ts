import Type from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const Markdown = entity('Markdown', { html: Type.String() });

export const markdownParams = {
  text: required(param.string({ description: 'Markdown text to render' })),
  gfm: withDefault(param.boolean({ description: 'Whether references, emoji and task lists are rendered' }), false),
  project: param.string({ description: 'Full path of the project that references without a path refer to' }),
  group: param.string({
    description: 'Full path of the group that the text belongs to, if it does not belong to a project',
  }),
};
