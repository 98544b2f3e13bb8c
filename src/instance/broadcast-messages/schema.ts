import Type, { type Static } from 'typebox';
import { projectRoles } from '../../access/roles.ts';
import { nullable as orNull, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const types = ['banner', 'notification'] as const;
/** The colors defined in the style sheet. */
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
  starts_at: param.dateTime({ description: 'Start of the display; defaults to now' }),
  ends_at: param.dateTime({ description: 'End of the display; defaults to one hour later' }),
  color: orNull(param.string({ description: 'Stored and returned; the pages use the colors of the theme' })),
  font: orNull(param.string({ description: 'Stored and returned; the pages use the colors of the theme' })),
  target_access_levels: param.integersOf(projectRoles, {
    description: 'Shown to users with one of these roles, on the pages of the group or project where they have it',
  }),
  target_path: orNull(param.string({ description: 'Pages on which it is shown; `*` matches any characters' })),
  broadcast_type: param.oneOf(types),
  dismissable: param.boolean({
    description: 'Whether users can dismiss a banner; notifications are always dismissible',
  }),
  theme: param.oneOf(themes),
};

export const newMessageParams = { message: required(param.string({ description: 'Markdown' })), ...details };

const changes = { message: param.string({ description: 'Markdown' }), ...details };
export type MessageChange = ParamsOf<typeof changes>;
export const messageChangeParams = { ...messageParam, ...changes };
