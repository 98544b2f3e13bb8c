import Type, { type Static } from 'typebox';
import { projectRoles } from '../../access/roles.ts';
import { nullable as orNull, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const types = ['banner', 'notification'] as const;
/** The colours of the pages' style sheet. */
const themes = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const;

export const BroadcastMessage = entity('BroadcastMessage', {
  id: Type.Integer(),
  message: Type.String(),
  starts_at: timestamp(),
  ends_at: timestamp(),
  color: nullable(Type.String()),
  font: nullable(Type.String()),
  target_access_levels: Type.Array(Type.Integer()),
  target_path: nullable(Type.String()),
  broadcast_type: Type.String(),
  theme: Type.String(),
  dismissable: Type.Boolean(),
  active: Type.Boolean(),
});
export type BroadcastMessageEntity = Static<typeof BroadcastMessage>;

export const messageParam = { id: required(param.integer()) };

const details = {
  starts_at: param.dateTime({ description: 'From when on it is shown; now' }),
  ends_at: param.dateTime({ description: 'Until when it is shown; for an hour' }),
  color: orNull(param.string({ description: 'Kept and shown; pages take the colours of the theme' })),
  font: orNull(param.string({ description: 'Kept and shown; pages take the colours of the theme' })),
  target_access_levels: param.integersOf(projectRoles, {
    description: 'Shown to who has one of these roles, on the pages of the group or project they have it in',
  }),
  target_path: orNull(param.string({ description: 'The pages it is shown on; `*` stands for any characters' })),
  broadcast_type: param.oneOf(types),
  dismissable: param.boolean({ description: 'Whether readers may put a banner away; notifications they always may' }),
  theme: param.oneOf(themes),
};

/** `POST /broadcast_messages`. */
export const newMessageParams = { message: required(param.string({ description: 'Markdown' })), ...details };

const changes = { message: param.string({ description: 'Markdown' }), ...details };
export type MessageChange = ParamsOf<typeof changes>;
/** `PUT /broadcast_messages/:id`. */
export const messageChangeParams = { ...messageParam, ...changes };
